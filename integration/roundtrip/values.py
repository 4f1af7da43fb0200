"""Random values of leaf types: each maker takes the number of values and gives an Arrow array without nulls."""

import json

import numpy as np
import pyarrow as pa

WORDS = ["alpha", "beta", "gamma", "ocean", "salinity", "temperature", "pressure", "depth", "the ", "of ", "and ", "", "é", "日本", "𝄞x",
         "platform", "https://example.org/profiles/", "2024-01-01T00:00:00Z", "0", "a" * 40]
UNITS = ["s", "ms", "us", "ns"]


class Values:
    """Makes values from one random source."""

    def __init__(self, rng):
        self.rng = rng

    def one(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def chance(self, p):
        return self.rng.random() < p

    def spread(self, n, distinct):
        """n values out of the array distinct, in a random order of one of several kinds."""
        k = len(distinct)
        kind = self.one("random", "sorted", "runs", "long runs", "skewed", "constant")
        if n == 0 or k == 0:
            return distinct[:0]
        if kind == "random":
            at = self.rng.integers(k, size=n)
        elif kind == "sorted":
            at = np.sort(self.rng.integers(k, size=n))
        elif kind in ("runs", "long runs"):
            longest = 20 if kind == "runs" else 3000
            runs = self.rng.integers(1, longest, size=2 + n // longest * 2)
            at = np.resize(np.repeat(self.rng.integers(k, size=len(runs)), runs), n)
        elif kind == "skewed":
            at = np.where(self.rng.random(n) < 0.97, 0, self.rng.integers(k, size=n))
        else:
            at = np.full(n, self.rng.integers(k))
        return distinct.take(pa.array(at)) if isinstance(distinct, pa.Array) else distinct[at]

    def bits(self, n, dtype):
        """n unsigned numbers of a numpy type, of a random distribution."""
        width = np.dtype(dtype).itemsize * 8
        full = self.rng.integers(0, 1 << width, size=n, dtype=dtype, endpoint=False) if width < 64 else self.rng.integers(0, (1 << 64) - 1, size=n, dtype=np.uint64, endpoint=True)
        kind = self.one("full", "small", "small", "few", "few", "sequence", "outliers", "constant", "negative")
        if kind == "full":
            return full
        if kind == "small":
            return full >> dtype(self.rng.integers(0, width))
        if kind == "few":
            return self.spread(n, full[:max(1, min(n, int(self.one(1, 2, 3, 10, 99, 120, 300))))])
        if kind == "sequence":
            step = int(self.one(1, 1, 3, 1000))
            return (np.arange(n, dtype=np.uint64) * np.uint64(step) + np.uint64(self.rng.integers(1 << 20))).astype(dtype)
        if kind == "outliers":
            return np.where(self.rng.random(n) < 0.01, full, full % dtype(7))
        if kind == "constant":
            return np.full(n, full[0] if n else 0, dtype)
        return dtype(0) - (full % dtype(50))

    def ints(self, typ):
        dtype = typ.to_pandas_dtype()
        unsigned = getattr(np, "uint%d" % (np.dtype(dtype).itemsize * 8))
        return lambda n: pa.array(self.bits(n, unsigned).view(dtype))

    def viewed(self, typ, storage):
        """Times, dates, durations: numbers seen as another type."""
        make = self.ints(storage)
        return lambda n: make(n).view(typ)

    def date64(self, n):
        return pa.array((self.rng.integers(-10_000, 30_000, size=n) * 86_400_000)).view(pa.date64())

    def floats(self, dtype):
        unsigned = getattr(np, "uint%d" % (np.dtype(dtype).itemsize * 8))
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, np.finfo(dtype).tiny / 4, np.finfo(dtype).max], dtype)

        def make(n):
            kind = self.one("bits", "normal", "whole", "special", "unit")
            if kind == "bits":
                out = self.bits(n, unsigned).view(dtype)
            elif kind == "normal":
                out = self.rng.normal(10, 3, size=n).astype(dtype)
            elif kind == "whole":
                out = self.rng.integers(-100, 100, size=n).astype(dtype)
            elif kind == "special":
                out = self.spread(n, special)
            else:
                out = self.rng.random(n).astype(dtype)
            return pa.array(out)

        return make

    def bools(self, n):
        share = self.one(0.0, 0.02, 0.5, 1.0)
        return pa.array(self.rng.random(n) < share)

    def fixed(self, typ, width):
        """Values of width bytes: fixed-size binary, decimals."""

        def make(n):
            kind = self.one("random", "few", "zero padded")
            if kind == "few":
                pool = self.rng.integers(0, 256, size=(int(self.one(1, 2, 7, 100)), width), dtype=np.uint8)
                raw = self.spread(n, pool)
            else:
                raw = self.rng.integers(0, 256, size=(n, width), dtype=np.uint8)
                if kind == "zero padded" and width > 1:
                    raw[:, width // 2:] = 0
            return pa.Array.from_buffers(typ, n, [None, pa.py_buffer(np.ascontiguousarray(raw).tobytes())])

        return make

    def decimals(self, typ):
        words = typ.byte_width // 8

        def make(n):
            low = self.bits(n, np.uint64).view(np.int64) % np.int64(10 ** min(typ.precision, 18))
            raw = np.empty((n, words), np.int64)
            raw[:, 0] = low
            raw[:, 1:] = (low >> 63)[:, None]
            if typ.precision > 20 and self.chance(0.5):  # more than 64 bits, less than the precision
                raw[:, 1] = self.rng.integers(-5, 5, size=n)
                raw[:, 2:] = (raw[:, 1] >> 63)[:, None]
            return pa.Array.from_buffers(typ, n, [None, pa.py_buffer(raw.tobytes())])

        return make

    def joined(self, n, parts):
        """n byte strings, each of some of the strings in parts, one after the other, as large_binary."""
        most = int(self.one(1, 2, 8, 30))
        counts = self.rng.integers(0, most + 1, size=n)
        ends = np.concatenate([[0], np.cumsum(counts)])
        flat = parts.take(pa.array(self.rng.integers(len(parts), size=int(ends[-1]))))
        bounds = np.frombuffer(flat.buffers()[1], np.int64)[flat.offset:flat.offset + len(flat) + 1] if len(flat) else np.zeros(1, np.int64)
        data = flat.buffers()[2] or pa.py_buffer(b"")
        return pa.Array.from_buffers(pa.large_binary(), n, [None, pa.py_buffer(bounds[ends].tobytes()), data])

    def cut(self, n, lengths, text):
        """n byte strings of the lengths given, random."""
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        raw = self.rng.integers(97, 123, size=int(ends[-1]), dtype=np.uint8) if text else self.rng.integers(0, 256, size=int(ends[-1]), dtype=np.uint8)
        return pa.Array.from_buffers(pa.large_binary(), n, [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(raw.tobytes())])

    def bytes(self, n, text, room=1 << 21):
        """n byte strings as large_binary, of a random distribution; text makes them UTF-8. room bounds their bytes."""
        kind = self.one("short", "short", "words", "words", "few", "few", "constant", "empty", "keys", "long", "longer", "huge", "one length", "mixed")
        if n == 0:
            return pa.array([], pa.large_binary())
        per = max(1, room // n)
        if kind == "short":
            return self.cut(n, self.rng.integers(0, min(per, int(self.one(4, 12, 60))) + 1, size=n), text)
        if kind == "words":
            return self.joined(n, pa.array([w.encode() for w in WORDS], pa.large_binary()))
        if kind in ("few", "constant"):
            k = 1 if kind == "constant" else int(self.one(2, 5, 60, 150))
            size = min(max(1, room // k), int(self.one(3, 20, 70, 400)))
            return self.spread(n, self.cut(k, self.rng.integers(0, size + 1, size=k), text))
        if kind == "empty":
            return pa.array([b""] * n, pa.large_binary())
        if kind == "keys":
            return pa.array([b"station/%08d" % (i * 7) for i in range(n)], pa.large_binary())
        if kind == "long":
            return self.cut(n, self.rng.integers(0, min(per, 700) + 1, size=n), text)
        if kind == "longer":
            return self.cut(n, self.rng.integers(0, min(per, 40_000) + 1, size=n), text)
        if kind == "one length":
            return self.cut(n, np.full(n, min(per, int(self.one(1, 3, 8, 16, 100)))), text)
        lengths = self.rng.integers(0, min(per, 30) + 1, size=n)
        lengths[self.rng.integers(n)] = int(self.one(300, 5000, 70_000, 600_000 if kind == "huge" else 20_000))
        return self.cut(n, lengths, text)

    def variable(self, typ):
        """Strings and byte strings of any form."""
        text = typ in (pa.utf8(), pa.large_utf8(), pa.string_view())

        def make(n):
            raw = self.bytes(n, text)
            if typ in (pa.large_utf8(), pa.utf8(), pa.string_view()):
                raw = raw.view(pa.large_utf8())
            return raw.cast(typ)

        return make

    def documents(self, n):
        """JSON texts."""

        def value(depth):
            kind = self.rng.integers(9 if depth < 4 else 7)
            if kind == 0:
                return None
            if kind == 1:
                return bool(self.rng.integers(2))
            if kind == 2:
                return int(self.rng.integers(-(1 << 62), 1 << 62)) >> int(self.rng.integers(62))
            if kind == 3:
                return float(self.one(0.5, -1.25, 1e300, 1e-7, 3.0, 123456.789, -0.0, 1e21, float(self.rng.normal())))
            if kind in (4, 5):
                return self.one(*WORDS, "q\"uote", "back\\slash", "line\nbreak", "\t", "\u0001", "/")
            if kind == 6:
                return self.one((1 << 64) - 1, 1 << 63, -(1 << 63), 0, 255, 256, 65536)
            if kind == 7:
                return [value(depth + 1) for _ in range(self.rng.integers(4))]
            return {self.one(*WORDS, "a", "b", "key"): value(depth + 1) for _ in range(self.rng.integers(4))}

        few = [json.dumps(value(0), ensure_ascii=bool(self.rng.integers(2))) for _ in range(min(n, int(self.one(1, 20, 200))))]
        return self.spread(n, pa.array(few, pa.utf8()))
