"""Writes the data files of this folder and what they hold.

For each case: CASE.arrow (Arrow IPC file, the data as it was given to the writer) and CASE__2_1.lance.gz,
CASE__2_2.lance.gz, CASE__2_3.lance.gz, the data file of a table of that file version. Needs pylance 14 and pyarrow. Seeded, so that a second run writes the
same values.
"""

import glob
import gzip
import os
import random
import shutil
import sys
import tempfile

import lance
import numpy as np
import pyarrow as pa

HERE = os.path.dirname(os.path.abspath(__file__))
R = random.Random(20)
N = np.random.RandomState(20)
WORDS = ["lat", "lon", "depth", "sea surface temperature", "units", "", "kelvin", "profile", "time", "x"]


def nulls(values, p=0.2):
    return [None if R.random() < p else v for v in values]


def text(k):
    return " ".join(R.choice(WORDS) for _ in range(k))


def types():
    n = 300
    out = {}
    for t in [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]:
        lo = 0 if "u" in str(t) else -(2 ** (t.bit_width - 1))
        hi = 2 ** (t.bit_width if "u" in str(t) else t.bit_width - 1) - 1
        out[str(t)] = pa.array(nulls([lo, hi, 0] + [R.randint(0, 90) for _ in range(n - 3)]), t)
    out["half"] = pa.array(np.array([np.nan, np.inf, -0.0, 6e-8] + [1.5] * (n - 4), np.float16))
    out["float"] = pa.array(np.array([np.nan, -np.inf, -0.0] + [0.25] * (n - 3), np.float32))
    out["double"] = pa.array(nulls([float("nan"), -0.0] + [R.random() for _ in range(n - 2)]), pa.float64())
    out["bool"] = pa.array(nulls([R.random() < 0.5 for _ in range(n)]), pa.bool_())
    out["dec128"] = pa.array(nulls([pa.scalar(R.randint(-9**9, 9**9), pa.decimal128(20, 0)).as_py() for _ in range(n)]), pa.decimal128(20, 2))
    out["dec256"] = pa.array(nulls([pa.scalar(R.randint(-9**9, 9**9), pa.decimal256(50, 0)).as_py() for _ in range(n)]), pa.decimal256(50, 2))
    for name, t in [("date32", pa.date32()), ("time32", pa.time32("ms"))]:
        out[name] = pa.array(nulls([R.randint(0, 9999) for _ in range(n)]), pa.int32()).view(t)
    for name, t in [("time64", pa.time64("ns")), ("ts", pa.timestamp("us", "Europe/Berlin")), ("dur", pa.duration("s"))]:
        out[name] = pa.array(nulls([R.randint(0, 9999) for _ in range(n)]), pa.int64()).view(t)
    out["date64"] = pa.array(nulls([86400000 * R.randint(0, 99) for _ in range(n)]), pa.int64()).view(pa.date64())
    out["fsb"] = pa.array(nulls([bytes([R.randint(0, 9)] * 5) for _ in range(n)]), pa.binary(5))
    out["null"] = pa.nulls(n)
    return out


def texts():
    n = 1500
    return {
        "id": pa.array(range(n), pa.int32()),
        "short": pa.array(nulls([text(R.randint(0, 2)) for _ in range(n)])),
        "fsst": pa.array(nulls(["the quick brown fox %d jumps" % R.randint(0, 10**6) for _ in range(n)], 0.05)),
        "dict": pa.array(nulls([R.choice(WORDS) * 8 for _ in range(n)])),
        "bin": pa.array(nulls([bytes([R.randint(0, 255)] * R.randint(0, 4)) for _ in range(n)]), pa.binary()),
        "large": pa.array(nulls([text(R.randint(0, 1)) for _ in range(n)]), pa.large_string()),
        "arrow": pa.DictionaryArray.from_arrays(pa.array(nulls([R.randint(0, 9) for _ in range(n)]), pa.uint8()), pa.array(WORDS)),
    }


def levels():
    n = 3000
    runs = [i // 500 % 2 == 1 for i in range(n)]
    return {
        "id": pa.array(range(n), pa.int32()),
        "runs": pa.array([None if r else 7 + i % 3 for i, r in enumerate(runs)], pa.int8()),
        "mixed": pa.array(nulls([i % 50 for i in range(n)], 0.5), pa.int16()),
        "allnull": pa.nulls(n, pa.float64()),
        "late": pa.array([None] * (n - 1) + ["end"]),
        "same": pa.array([41] * n, pa.uint32()),
        "samenull": pa.array(nulls([41] * n), pa.uint32()),
        "sametext": pa.array(["a text that is the same in each of the rows"] * n),
        "sametextnull": pa.array(nulls(["a text that is the same in each of the rows"] * n)),
        "yes": pa.array([True] * n),
        "repeats": pa.array([i // 100 for i in range(n)], pa.int64()),
        "struct": pa.StructArray.from_arrays(
            [pa.array(nulls([i % 7 for i in range(n)], 0.1), pa.int8()), pa.array(["v%d" % (i % 5) for i in range(n)])],
            names=["a", "b"], mask=pa.array([r and i % 3 == 0 for i, r in enumerate(runs)])),
    }


def some_list(depth, item):
    x = R.random()
    if x < 0.15:
        return None
    if x < 0.3:
        return []
    return [None if R.random() < 0.15 else (item() if depth == 1 else some_list(depth - 1, item)) for _ in range(R.randint(1, 4))]


def some_struct(item):
    return None if R.random() < 0.15 else {"a": item(), "l": some_list(1, item)}


def lists():
    n = 700

    def num():
        return R.randint(0, 40)

    st = pa.struct([("a", pa.int32()), ("l", pa.list_(pa.int32()))])
    big = [[] if i % 3 else None for i in range(n)]
    big[n // 2] = [None if k % 17 == 0 else k % 100 for k in range(9000)]
    big[n // 2 + 1] = [1, 2, 3]
    return {
        "id": pa.array(range(n), pa.int32()),
        "list": pa.array([some_list(1, num) for _ in range(n)], pa.list_(pa.int32())),
        "large": pa.array([some_list(1, num) for _ in range(n)], pa.large_list(pa.int16())),
        "list2": pa.array([some_list(2, num) for _ in range(n)], pa.list_(pa.list_(pa.int32()))),
        "list3": pa.array([some_list(3, num) for _ in range(n)], pa.list_(pa.list_(pa.list_(pa.int8())))),
        "texts": pa.array([some_list(1, lambda: text(1)) for _ in range(n)], pa.list_(pa.string())),
        "structs": pa.array([some_list(1, lambda: some_struct(num)) for _ in range(n)], pa.list_(st)),
        "struct": pa.array([some_struct(num) for _ in range(n)], st),
        "ones": pa.array([[i] for i in range(n)], pa.list_(pa.int32())),
        "none": pa.array([None] * n, pa.list_(pa.int32())),
        "empty": pa.array([[]] * n, pa.list_(pa.int32())),
        "big": pa.array(big, pa.list_(pa.int32())),
        "hidden": pa.Array.from_buffers(  # items beneath null lists
            pa.list_(pa.int32()), 8, [pa.py_buffer(bytes([0b10101010])), pa.array(range(0, 18, 2), pa.int32()).buffers()[1]],
            children=[pa.array(range(16), pa.int32())]).take(pa.array([i % 8 for i in range(n)])),
    }


def fixed_lists():
    n = 60
    floats = pa.array(np.arange(n * 100) % 50, pa.float32())
    vec = pa.FixedSizeListArray.from_arrays(floats, 100)
    holes = pa.FixedSizeListArray.from_arrays(
        pa.array([None if k % 7 == 0 else k % 50 for k in range(n * 100)], pa.int32()), 100,
        mask=pa.array([k % 5 == 0 for k in range(n)]))
    small = pa.FixedSizeListArray.from_arrays(pa.array(nulls([k % 9 for k in range(n * 3)]), pa.int16()), 3)
    inner = pa.FixedSizeListArray.from_arrays(pa.array(nulls([k % 9 for k in range(n * 6)]), pa.int8()), 3,
                                              mask=pa.array([k % 11 == 0 for k in range(n * 2)]))
    return {
        "vec": vec,
        "vecnull": pa.FixedSizeListArray.from_arrays(floats, 100, mask=pa.array([k % 4 == 0 for k in range(n)])),
        "holes": holes,
        "small": small,
        "nested": pa.FixedSizeListArray.from_arrays(inner, 2, mask=pa.array([k % 9 == 0 for k in range(n)])),
        "bools": pa.FixedSizeListArray.from_arrays(pa.array(nulls([k % 3 == 0 for k in range(n * 9)]), pa.bool_()), 9),
        "inlist": pa.array([None if k % 6 == 0 else [[k, 1], [2, 3]][: k % 3] for k in range(n)], pa.list_(pa.list_(pa.int32(), 2))),
    }


def compressed():
    n = 1500
    out = {}
    fields = []

    def add(name, arr, **meta):
        out[name] = arr
        fields.append(pa.field(name, arr.type, True, {"lance-encoding:" + k.replace("_", "-"): v for k, v in meta.items()}))

    ints = pa.array(nulls([k // 40 for k in range(n)], 0.1), pa.int32())
    words = pa.array(nulls([text(4) for _ in range(n)], 0.1))
    add("zstd", ints, compression="zstd")
    add("lz4", ints, compression="lz4")
    add("zstdtext", words, compression="zstd")
    add("lz4text", words, compression="lz4")
    add("bss", pa.array(np.cumsum(N.randint(0, 3, n)) / 8, pa.float32()), compression="zstd", bss="on")
    add("bss8", pa.array(np.cumsum(N.randint(0, 3, n)) / 8, pa.float64()), compression="lz4", bss="on")
    add("rle", pa.array([k // 300 for k in range(n)], pa.int16()), rle_threshold="0.9")
    add("zip", ints, structural_encoding="fullzip")
    add("zipbool", pa.array(nulls([k % 3 == 0 for k in range(n)])), structural_encoding="fullzip")
    add("ziplist", pa.array([some_list(1, lambda: R.randint(0, 9)) for _ in range(n)], pa.list_(pa.int8())), structural_encoding="fullzip")
    add("ziptext", pa.array([some_list(1, lambda: text(2)) for _ in range(n)], pa.list_(pa.string())), structural_encoding="fullzip")
    return out, pa.schema(fields)


def long_texts():
    n = 100
    return {
        "fsst": pa.array(nulls([text(60) for _ in range(n)], 0.1)),
        "plain": pa.array(nulls([bytes([k % 256]) * 300 for k in range(n)], 0.1), pa.binary()),
        "zstd": pa.array(nulls([text(5) * 1500 for _ in range(6)], 0.3) + [None] * (n - 6)),
        "list": pa.array([[text(50), None, ""] if k % 9 == 0 else ([] if k % 2 else None) for k in range(n)], pa.list_(pa.string())),
        "struct": pa.array([{"s": text(60), "n": k} if k % 4 else None for k in range(n)], pa.struct([("s", pa.string()), ("n", pa.int32())])),
    }


def only_22():
    n = 200
    pair = pa.struct([("x", pa.int32()), ("y", pa.int32())])
    pairs = pa.array([{"x": k, "y": 2 * k} for k in range(2 * n)], pair)
    out = {
        "map": pa.array([None if k % 5 == 0 else [("k%d" % j, j) for j in range(k % 4)] for k in range(n)], pa.map_(pa.string(), pa.int32())),
        "fslstruct": pa.FixedSizeListArray.from_arrays(pairs, 2),
        "packed": pa.array([{"x": k, "y": k % 3} for k in range(n)], pair),
        "packedtext": pa.array([None if k % 6 == 0 else {"x": k, "s": "q" * (k % 20)} for k in range(n)], pa.struct([("x", pa.int32()), ("s", pa.string())])),
    }
    packed = {"packed": {"lance-encoding:packed": "true"}, "packedtext": {"lance-encoding:packed": "true"}}
    return out, pa.schema([pa.field(k, v.type, True, packed.get(k)) for k, v in out.items()])


def pages():
    """Pages of very different contents in one column: one for each batch, as the cache is made tiny."""
    out = []
    for b in range(4):
        n = [50, 1, 70, 33][b]
        out.append(pa.table({
            "n": pa.array([None] * n if b == 1 else nulls([7] * n, 0.3) if b == 2 else [k for k in range(n)], pa.int64()),
            "s": pa.array(["p%d" % b] * n if b != 3 else [None] * n, pa.string()),
            "l": pa.array([[b, None]] * n if b % 2 else [None, []] * (n // 2), pa.list_(pa.int8())),
            "d": pa.array(["a%d" % (k % (b + 2)) for k in range(n)]).dictionary_encode(),
            "st": pa.array([None if k % 3 == b else {"a": k} for k in range(n)], pa.struct([("a", pa.int32())])),
        }))
    return out


def sparse():
    """Pages of version 2.3 whose structure is in positions, of each kind of values."""
    n = 1200
    pair = pa.struct([("x", pa.int32()), ("s", pa.string())])
    long = [("%02d " % k) * 3000 for k in range(9)]
    wide = pa.array(np.arange(30 * 80) % 97, pa.float32())
    runs = [[k % 100] * (k % 7) if k // 200 % 2 else None for k in range(n)]
    seldom = [[k, None] if k % 37 == 0 else (None if k % 5 == 0 else []) for k in range(n)]
    out = {
        "id": pa.array(range(n), pa.int32()),
        "mixed": pa.array(nulls([k * k % 4001 for k in range(n)], 0.4), pa.int32()),
        "everyother": pa.array([k if k % 2 else None for k in range(n)], pa.int64()),
        "head": pa.array([None] * 700 + list(range(n - 700)), pa.int16()),
        "samenull": pa.array(nulls([77] * n), pa.int32()),
        "boolnull": pa.array(nulls([True] * n), pa.bool_()),
        "allnull": pa.nulls(n, pa.string()),
        "short": pa.array(nulls([text(1) for _ in range(n)], 0.3)),
        "wide": pa.array([text(60) if k % 50 in (3, 4, 9) else None for k in range(n)]),
        "widelist": pa.array([[text(50), None, text(40)] if k % 90 == 7 else ([] if k % 3 else None) for k in range(n)], pa.list_(pa.string())),
        "widevec": pa.FixedSizeListArray.from_arrays(wide, 80).take(pa.array([k // 40 if k % 40 == 9 else None for k in range(n)], pa.int32())),
        "repeated": pa.array([[long[k % 9]] if k % 11 == 0 else None for k in range(n)], pa.list_(pa.string())),
        "list": pa.array(seldom, pa.list_(pa.int32())),
        "runs": pa.array(runs, pa.large_list(pa.int8())),
        "ones": pa.array([[k] for k in range(n)], pa.list_(pa.int32())),
        "empty": pa.array([[]] * n, pa.list_(pa.int32())),
        "list2": pa.array([None if k % 6 == 0 else [seldom[j] for j in range(k, min(k + k % 4, n))] for k in range(n)], pa.list_(pa.list_(pa.int32()))),
        "struct": pa.array([None if k % 4 == 1 else {"x": None if k % 3 else k, "s": "v%d" % k} for k in range(n)], pair),
        "structs": pa.array([None if k % 4 == 1 else [None, {"x": k, "s": None}][: k % 3] for k in range(n)], pa.list_(pair)),
        "map": pa.array([None if k % 5 == 0 else [("k%d" % j, None if j % 2 else k) for j in range(k % 3)] for k in range(n)], pa.map_(pa.string(), pa.int32())),
        "pairs": pa.array([None if k % 7 == 0 else [{"x": k, "s": "a"}, None if k % 5 == 0 else {"x": None, "s": "b"}] for k in range(n)], pa.list_(pair, 2)),
        "listpairs": pa.array([None if k % 7 == 0 else [[{"x": k, "s": "a"}, {"x": j, "s": None}] for j in range(k % 3)] for k in range(n)], pa.list_(pa.list_(pair, 2))),
        "small": pa.array([None if k % 4 == 0 else [k, None, 1] for k in range(n)], pa.list_(pa.int16(), 3)),
        "keys": pa.DictionaryArray.from_arrays(pa.array(nulls([k % 10 for k in range(n)]), pa.uint8()), pa.array(WORDS)),
    }
    meta = {"lance-encoding:structural-encoding": "sparse"}
    return out, pa.schema([pa.field(k, v.type, True, meta if k != "id" else None) for k, v in out.items()])


def dictionaries():
    """Dictionaries of several types of values, and fixed-size lists of few values, which version 2.3 puts into one."""
    n = 400
    keys = [None if k % 9 == 4 else k * k % 5 for k in range(n)]

    def words(key, values):
        return pa.DictionaryArray.from_arrays(pa.array(keys, key), values)

    lists = pa.array([[1, None, 3], [4, 5, 6], [None, None, None], [7, 8, 9], [1, 2, 3]], pa.list_(pa.int32(), 3))
    halves = pa.array([[0.5] * 4, [1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [0, 0, 0, 0]], pa.list_(pa.float32(), 4)).cast(pa.list_(pa.float16(), 4))
    nested = pa.array([[[1, None], [3, 4]], [[5, 6], [7, 8]], [[None, None], [0, 0]], [[9, 9], [9, 9]], [[1, 2], [3, 4]]], pa.list_(pa.list_(pa.int16(), 2), 2))
    return {
        "bools": words(pa.int8(), pa.array([True, False, True, False, True])),
        "large": words(pa.int32(), pa.array(["a", "", "ccc", "dd", "a"], pa.large_string())),
        "halves": words(pa.uint16(), pa.array([1, 2, 3, 4, 5], pa.float32()).cast(pa.float16())),
        "longs": words(pa.uint64(), pa.array([1, -2, 3, 4, 5], pa.int64())),
        "beneath": pa.StructArray.from_arrays([words(pa.int8(), pa.array(["a", "b", "c", "d", "e"])).fill_null("a")], ["d"], mask=pa.array([True] * n)),
        "lists": lists.take(pa.array(keys)),
        "vectors": halves.take(pa.array([k or 0 for k in keys])),
        "nested": nested.take(pa.array([k or 0 for k in keys])),
    }


def blob_values():
    return [None if k % 6 == 5 else b"" if k % 6 == 4 else bytes([k]) * (k * 29 % 700) for k in range(70)]


def blobs():
    """Blobs of the first kind."""
    n = 70
    b = pa.array(blob_values(), pa.large_binary())
    st = pa.array([None if k % 8 == 3 else {"b": v, "n": k} for k, v in enumerate(blob_values())], pa.struct([("b", pa.large_binary()), ("n", pa.int32())]))
    meta = {"lance-encoding:blob": "true"}
    schema = pa.schema([pa.field("id", pa.int32()), pa.field("b", b.type, True, meta), pa.field("full", b.type, True, meta),
                        pa.field("st", pa.struct([pa.field("b", pa.large_binary(), True, meta), ("n", pa.int32())]))])
    full = pa.array([v or b"x" for v in blob_values()], pa.large_binary())
    return {"id": pa.array(range(n), pa.int32()), "b": b, "full": full, "st": st}, schema


def blobs2():
    """Blobs of the second kind, all within the data file."""
    meta = {"ARROW:extension:name": "lance.blob.v2"}
    schema = pa.schema([pa.field("id", pa.int32()), pa.field("b", pa.large_binary(), True, meta), pa.field("none", pa.large_binary(), True, meta)])
    return {"id": pa.array(range(70), pa.int32()), "b": pa.array(blob_values(), pa.large_binary()), "none": pa.nulls(70, pa.large_binary())}, schema


def blob_table(table):
    """The table as the writer takes blobs of the second kind."""
    cols = [lance.blob_array(c.to_pylist()) if f.metadata else c for f, c in zip(table.schema, table.columns)]
    return pa.table(cols, schema=pa.schema([lance.blob_field(f.name) if f.metadata else f for f in table.schema]))


def write(name, version, table):
    tmp = tempfile.mkdtemp()
    try:
        if isinstance(table, list):
            path = os.path.join(tmp, "x.lance")
            from lance.file import LanceFileWriter

            with LanceFileWriter(path, table[0].schema, data_cache_bytes=1, version=version) as w:
                for t in table:
                    for b in t.to_batches():
                        w.write_batch(b)
            files = [path]
        else:
            lance.write_dataset(table, os.path.join(tmp, "t"), data_storage_version=version)
            files = glob.glob(os.path.join(tmp, "t", "data", "*.lance"))
        assert len(files) == 1
        out = os.path.join(HERE, "%s__%s.lance.gz" % (name, version.replace(".", "_")))
        with open(files[0], "rb") as f, open(out, "wb") as g:
            g.write(gzip.compress(f.read(), 9, mtime=0))
    finally:
        shutil.rmtree(tmp)


def main():
    for case in [types, texts, levels, lists, fixed_lists, compressed, long_texts, only_22, pages, sparse, dictionaries, blobs, blobs2]:
        name = case.__name__
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        data = case()
        schema = None
        if isinstance(data, tuple):
            data, schema = data
        table = data if isinstance(data, list) else pa.table(data, schema=schema)
        whole = pa.concat_tables(data) if isinstance(data, list) else table
        opts = pa.ipc.IpcWriteOptions(compression="zstd", unify_dictionaries=True)
        with pa.ipc.new_file(os.path.join(HERE, name + ".arrow"), whole.schema, options=opts) as w:
            w.write_table(whole.unify_dictionaries().combine_chunks())
        for version in {only_22: ["2.2", "2.3"], sparse: ["2.3"], blobs: ["2.1"], blobs2: ["2.2", "2.3"]}.get(case, ["2.1", "2.2", "2.3"]):
            write(name, version, blob_table(table) if case is blobs2 else table)


if __name__ == "__main__":
    sys.exit(main())
