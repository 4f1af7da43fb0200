"""Random columns: a type with its field's metadata, and a maker of arrays of it."""

import lance
import numpy as np
import pyarrow as pa

from values import UNITS, Values

INTS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TEXTS = [pa.utf8(), pa.large_utf8(), pa.binary(), pa.large_binary(), pa.string_view(), pa.binary_view()]
ZONES = [None, "UTC", "+08:00", "Europe/Berlin"]
BFLOAT16 = type("BFloat16", (pa.ExtensionType,), {
    "__init__": lambda self: pa.ExtensionType.__init__(self, pa.binary(2), "lance.bfloat16"), "__arrow_ext_serialize__": lambda self: b"",
})()  # as lance.arrow.BFloat16Type, which needs pandas
NAMES = ["a", "b", "c", "value", "x y", "Ünï", "A", "select"]
MOST_ITEMS = 30_000
MOST_BYTES = 3_000_000  # of a list's items, about


def cost(typ):
    """About how many bytes a value takes."""
    if isinstance(typ, pa.BaseExtensionType):
        return cost(typ.storage_type)
    if pa.types.is_fixed_size_list(typ):
        return typ.list_size * cost(typ.value_type)
    if pa.types.is_map(typ):
        return 8 + cost(typ.key_type) + 2 * cost(typ.item_type)
    if pa.types.is_list(typ) or pa.types.is_large_list(typ):
        return 8 + 2 * cost(typ.value_type)
    if pa.types.is_struct(typ):
        return sum(cost(f.type) for f in typ) or 1
    if pa.types.is_dictionary(typ):
        return 8
    try:
        return max(1, typ.bit_width // 8)
    except ValueError:
        return 30


class Column:
    """A field, and make(n) that gives an array of n values with nulls as they come."""

    def __init__(self, typ, make, metadata=None, nullable=True, slices=True, alone=False):
        self.type, self.make, self.metadata, self.nullable = typ, make, metadata or {}, nullable
        self.slices = slices  # pyarrow and pylance lose their way in structs that begin within their buffers
        self.cost = cost(typ)
        self.alone = alone  # pylance does not read fixed-size lists of structs beside other members

    def field(self, name):
        return pa.field(name, self.type, self.nullable, self.metadata or None)


class Columns:
    """Makes columns that a file version can hold."""

    def __init__(self, rng, version):
        self.rng, self.version, self.v = rng, version, Values(rng)
        self.one, self.chance = self.v.one, self.v.chance
        self.all_few = False
        self.pattern = None  # the null pattern of all columns while one is set

    def nulls(self, n):
        """The places of nulls as a mask, None for no nulls."""
        kind = self.pattern or self.one("none", "none", "some", "some", "few", "most", "all", "lead", "trail", "blocks", "alternate")
        at = np.arange(n)
        if kind == "none":
            return None
        if kind == "all":
            return np.ones(n, bool)
        if kind == "lead":
            return at < n // 3
        if kind == "trail":
            return at >= n - n // 3
        if kind == "blocks":
            return at // int(self.one(7, 64, 1024)) % 2 == 0
        if kind == "alternate":
            return at % 2 == 1
        return self.rng.random(n) < {"some": 0.2, "few": 0.004, "most": 0.97}[kind]

    def with_nulls(self, arr, nullable):
        """The values of arr, some of them null: the bytes beneath stay as they are where the type lets them."""
        if pa.types.is_string_view(arr.type) or pa.types.is_binary_view(arr.type):  # of which pyarrow can do little
            plain = pa.utf8() if pa.types.is_string_view(arr.type) else pa.binary()
            return self.with_nulls(arr.cast(plain), nullable).cast(arr.type)
        mask = self.nulls(len(arr)) if nullable else None
        if mask is None or not mask.any():
            return arr
        if self.chance(0.5) and len(arr.buffers()) == 2 and arr.offset == 0 and not isinstance(arr, (pa.DictionaryArray, pa.ExtensionArray)):
            valid = pa.array(~mask).buffers()[1]
            return pa.Array.from_buffers(arr.type, len(arr), [valid, *arr.buffers()[1:]])
        keep = np.where(mask, 0, np.arange(len(arr)))
        return arr.take(pa.array(keep, mask=mask))

    def options(self, leaf=True):
        """Field metadata that steers how a column is encoded."""
        out = {}
        if not self.chance(0.4):
            return out
        def put(key, *values, share=0.4):
            if self.chance(share):
                out["lance-encoding:" + key] = str(self.one(*values))
        put("compression", "none", "zstd", "lz4", "fsst")
        put("compression-level", 1, 3, 9, share=0.1)
        put("structural-encoding", "miniblock", "fullzip", *(["sparse"] if self.version == "2.3" else []))
        put("rle-threshold", 0.0, 0.5, 0.9, 1.0)
        put("bss", "on", "off", "auto")
        put("minichunk-size", 64, 1024, 8192, 30000, share=0.15)
        put("dict-divisor", 1, 2, 1000, share=0.2)
        put("dict-size-ratio", 0.1, 0.99, 1.0, share=0.2)
        put("dict-max-size", 10, 100000, share=0.1)
        put("dict-values-compression", "none", "zstd", "lz4", share=0.3)
        return out

    def leaf_type(self):
        """A type without members and a maker of values without nulls."""
        v = self.v
        kind = self.one("int", "int", "int", "float", "float", "text", "text", "text", "bool", "decimal", "time", "time", "fixed", "null", "dictionary", "dictionary", "extension", "json", "fsl", "fsl")
        if kind == "int":
            t = self.one(*INTS)
            return t, v.ints(t)
        if kind == "float":
            t, d = self.one((pa.float16(), np.float16), (pa.float32(), np.float32), (pa.float64(), np.float64))
            return t, v.floats(d)
        if kind == "text":
            t = self.one(*TEXTS)
            return t, v.variable(t)
        if kind == "bool":
            return pa.bool_(), v.bools
        if kind == "decimal":
            t = self.one(pa.decimal128(int(self.rng.integers(1, 39)), int(self.rng.integers(-3, 9))), pa.decimal256(int(self.rng.integers(1, 77)), int(self.rng.integers(0, 30))))
            return t, v.decimals(t)
        if kind == "time":
            return self.time_type()
        if kind == "fixed":
            t = pa.binary(int(self.one(1, 2, 3, 4, 8, 12, 16, 17, 33, 255, 256, 300, 5000)))
            return t, v.fixed(t, t.byte_width)
        if kind == "null":
            return pa.null(), pa.nulls
        if kind == "dictionary":
            return self.dictionary_type()
        if kind == "extension":
            return self.extension_type()
        if kind == "json":
            t = pa.json_(self.one(pa.utf8(), pa.large_utf8()))
            return t, lambda n: pa.ExtensionArray.from_storage(t, v.documents(n).cast(t.storage_type))
        return self.fixed_list_type()

    def time_type(self):
        v = self.v
        kind = self.one("timestamp", "duration", "date", "time")
        if kind == "timestamp":
            t = pa.timestamp(self.one(*UNITS), self.one(*ZONES))
            return t, v.viewed(t, pa.int64())
        if kind == "duration":
            t = pa.duration(self.one(*UNITS))
            return t, v.viewed(t, pa.int64())
        if kind == "date":
            return self.one((pa.date32(), v.viewed(pa.date32(), pa.int32())), (pa.date64(), v.date64))
        t, s = self.one((pa.time32("s"), pa.int32()), (pa.time32("ms"), pa.int32()), (pa.time64("us"), pa.int64()), (pa.time64("ns"), pa.int64()))
        day = 86_400 * 1000 ** UNITS.index(t.unit)
        make = v.ints(s)
        return t, lambda n: pa.array(make(n).to_numpy() % day).view(t)

    def dictionary_type(self):
        key = self.one(*INTS)
        value, make = self.one(*[lambda t=t: (t, self.v.variable(t)) for t in TEXTS[:4] * 2], *[lambda t=t: (t, self.v.ints(t)) for t in INTS],
                               lambda: (pa.float64(), self.v.floats(np.float64)), lambda: (pa.float16(), self.v.floats(np.float16)), lambda: (pa.bool_(), self.v.bools))()
        typ = pa.dictionary(key, value)

        def arrays(n):
            size = int(self.one(1, 2, 20, 100, 127 if key.bit_width == 8 else 1000))
            values = make(size)
            if self.chance(0.2):
                values = self.with_nulls(values, True)
            return pa.DictionaryArray.from_arrays(self.v.spread(n, pa.array(np.arange(size)).cast(key)), values)

        return typ, arrays

    def extension_type(self):
        v = self.v
        t, make = self.one((BFLOAT16, v.fixed(pa.binary(2), 2)), (BFLOAT16, v.fixed(pa.binary(2), 2)), (pa.uuid(), v.fixed(pa.binary(16), 16)), (pa.bool8(), v.ints(pa.int8())),
                           (pa.opaque(pa.binary(), "kind", "vendor"), v.variable(pa.binary())))
        return t, lambda n: pa.ExtensionArray.from_storage(t, make(n))

    def fixed_list_type(self, depth=0):
        """Fixed-size lists of values of a fixed size, also of such lists."""
        v = self.v
        make_item = self.one(lambda: (pa.float32(), v.floats(np.float32)), lambda: (pa.float16(), v.floats(np.float16)), lambda: (pa.bool_(), v.bools), lambda: (pa.uint8(), v.ints(pa.uint8())),
                             lambda: (pa.int64(), v.ints(pa.int64())), lambda: self.time_type(), lambda: (pa.decimal128(20, 2), v.decimals(pa.decimal128(20, 2))),
                             lambda: (pa.binary(3), v.fixed(pa.binary(3), 3)), lambda: (BFLOAT16, None), lambda: self.fixed_list_type(depth + 1) if depth < 2 else (pa.int8(), v.ints(pa.int8())))
        item, make = make_item()
        if make is None:
            make = lambda n: pa.ExtensionArray.from_storage(item, v.fixed(pa.binary(2), 2)(n))
        dim = int(self.one(1, 2, 3, 4, 7, 8, *([16, 128, 300] if depth == 0 else [])))
        typ = pa.list_(item, dim)

        def arrays(n):
            items = make(n * dim)
            if self.chance(0.3):
                items = self.with_nulls(items, True)
            return pa.FixedSizeListArray.from_arrays(items, type=typ)

        return typ, arrays

    def leaf(self):
        typ, make = self.leaf_type()
        nullable = typ == pa.null() or not self.chance(0.15)
        metadata = self.options()
        if self.version == "2.0" and typ in TEXTS[:4] and self.chance(0.3):
            metadata = {"lance-encoding:compression": self.one("fsst", "fsst", "zstd", "lz4")}
        if pa.types.is_fixed_size_list(typ) and self.chance(0.2):
            metadata["lance-encoding:structural-encoding"] = "fullzip"
        if self.chance(0.1):
            metadata["unit"] = "K"
        if not isinstance(typ, pa.BaseExtensionType) and self.chance(0.05):
            metadata.update({"ARROW:extension:name": "example.tagged", "ARROW:extension:metadata": self.one("", '{"k":1}')})
        return Column(typ, lambda n: self.with_nulls(make(n), nullable), metadata, nullable)

    def column(self, depth, in_list=False):
        """A column that is nested up to depth levels."""
        if depth <= 0 or self.chance(0.2):
            return self.leaf()
        later = self.version >= "2.2"
        kind = self.one("struct", "struct", "list", "list", "large list", *(["map"] if later else []), *(["fsl"] if later and not in_list else []), "packed" if self.chance(0.4) else "struct")
        if kind == "struct":
            return self.struct([self.column(depth - 1, in_list) for _ in range(self.rng.integers(1, 4))])
        if kind == "map":
            return self.map(self.column(depth - 1, True))
        if kind == "fsl":
            return self.struct_list(depth)
        if kind == "packed":
            return self.packed()
        return self.list(self.column(depth - 1, True), kind == "large list")

    def lengths(self, n, item_cost):
        """How many items each of n lists has."""
        most = min(MOST_ITEMS, MOST_BYTES // item_cost)
        if n > most:
            return (self.rng.random(n) < most / n).astype(np.int64)
        kind = "few" if self.all_few else self.one("few", "few", "few", "empty", "same", "one big", "big")
        if n == 0 or kind == "empty":
            return np.zeros(n, np.int64)
        if kind == "few":
            return self.rng.integers(0, (4 if n < most // 2 else 1) + 1, size=n)
        if kind == "same":
            return np.full(n, max(1, most // n // 10 if n < 100 else 1))
        if kind == "big":
            return self.rng.integers(0, 2 * max(1, most // n // 4), size=n)
        out = np.zeros(n, np.int64)
        out[self.rng.integers(n)] = min(most, int(self.one(200, 3000, most)))
        return out

    def offsets(self, n, nullable, width, item_cost):
        """Offsets, and the mask of nulls; lists that are null may have items."""
        mask = self.nulls(n) if nullable else None
        lengths = self.lengths(n, item_cost)
        if mask is not None and self.chance(0.7):
            lengths[mask] = 0
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(width)
        return ends, None if mask is None or not mask.any() else pa.array(mask)

    def list(self, item, large):
        nullable = not self.chance(0.15)
        typ = (pa.large_list if large else pa.list_)(item.field(self.one("item", "item", "element")))
        cls, width = (pa.LargeListArray, np.int64) if large else (pa.ListArray, np.int32)

        def make(n):
            ends, mask = self.offsets(n, nullable, width, item.cost)
            return cls.from_arrays(pa.array(ends), item.make(int(ends[-1])), type=typ, mask=mask)

        return Column(typ, make, {}, nullable)

    def map(self, value):
        nullable = not self.chance(0.15)
        key_type = self.one(pa.utf8(), pa.int32(), pa.binary(4), pa.date32())
        make_key = {pa.utf8(): self.v.variable(pa.utf8()), pa.int32(): self.v.ints(pa.int32())}.get(key_type) or (
            self.v.fixed(key_type, 4) if key_type != pa.date32() else self.v.viewed(pa.date32(), pa.int32()))
        typ = pa.map_(key_type, value.field("value"))

        def make(n):
            ends, mask = self.offsets(n, nullable, np.int32, value.cost + 10)
            keys, values = make_key(int(ends[-1])), value.make(int(ends[-1]))
            entries = pa.StructArray.from_arrays([keys, values], fields=[pa.field("key", key_type, False), value.field("value")])
            bits = None if mask is None else pa.array(~mask.to_numpy(zero_copy_only=False)).buffers()[1]
            return pa.Array.from_buffers(typ, n, [bits, pa.py_buffer(ends.tobytes())], children=[entries])

        return Column(typ, make, {}, nullable)

    def members(self, columns):
        names = [str(x) for x in self.rng.permutation(NAMES)[:len(columns)]]
        return [c.field(name) for c, name in zip(columns, names)]

    def struct(self, columns):
        nullable = self.version != "2.0" and not self.chance(0.2)
        columns = [c for c in columns if c.alone][:1] or columns
        fields = self.members(columns)

        def make(n):
            mask = self.nulls(n) if nullable else None
            return pa.StructArray.from_arrays([c.make(n) for c in columns], fields=fields, mask=None if mask is None else pa.array(mask))

        return Column(pa.struct(fields), make, {}, nullable, slices=False, alone=columns[0].alone)

    def struct_list(self, depth):
        """Fixed-size lists of structs. The writer can't do lists around or within them."""
        members = [self.leaf() for _ in range(self.rng.integers(1, 4))]
        if depth > 2 and self.chance(0.3):
            members.append(self.struct([self.leaf()]))
        inner = self.struct(members)
        dim = int(self.one(1, 2, 3, 8))
        typ, nullable = pa.list_(inner.field("item"), dim), not self.chance(0.2)

        def make(n):
            mask = self.nulls(n) if nullable else None
            return pa.FixedSizeListArray.from_arrays(inner.make(n * dim), type=typ, mask=None if mask is None else pa.array(mask))

        return Column(typ, make, {}, nullable, slices=False, alone=True)

    def packed(self):
        """A struct stored row by row. Its members have no nulls."""
        v = self.v
        kinds = [lambda t=t: (t, v.ints(t)) for t in INTS] + [lambda: (pa.float32(), v.floats(np.float32)), lambda: (pa.float64(), v.floats(np.float64)), lambda: (pa.binary(5), v.fixed(pa.binary(5), 5)),
                 lambda: (pa.timestamp("ns"), v.viewed(pa.timestamp("ns"), pa.int64())), lambda: (pa.decimal128(9, 2), v.decimals(pa.decimal128(9, 2)))]
        if self.chance(0.3):
            kinds.append(lambda: (pa.list_(pa.float32(), 3), lambda n: pa.FixedSizeListArray.from_arrays(v.floats(np.float32)(3 * n), 3)))
        if self.version >= "2.2" and self.chance(0.5):
            kinds += [lambda t=t: (t, v.variable(t)) for t in TEXTS[:4]]
        picked = [self.one(*kinds)() for _ in range(self.rng.integers(1, 5))]
        columns = [Column(t, make, self.options() if self.chance(0.2) else {}, self.chance(0.3)) for t, make in picked]
        fields = self.members(columns)
        nullable = self.version >= "2.1" and self.chance(0.5)

        def make(n):
            mask = self.nulls(n) if nullable else None
            return pa.StructArray.from_arrays([c.make(n) for c in columns], fields=fields, mask=None if mask is None else pa.array(mask))

        metadata = {self.one("packed", "lance-encoding:packed"): "true"}
        if self.chance(0.3):
            metadata["lance-encoding:structural-encoding"] = self.one("miniblock", "fullzip")
        return Column(pa.struct(fields), make, metadata, nullable, slices=False)

    def empty(self):
        """A struct without members, which the writer takes where it can't be null."""
        return Column(pa.struct([]), lambda n: pa.StructArray.from_buffers(pa.struct([]), n, [None]), {}, False, slices=False)

    def deep(self):
        """Lists within lists, as deep as levels of more than a byte need."""
        inner = self.leaf()
        if self.chance(0.7):  # long values make full-zip pages
            inner = Column(pa.binary(260), lambda n: self.with_nulls(self.v.fixed(pa.binary(260), 260)(n), True))
        for _ in range(self.rng.integers(6, 12)):
            inner = self.list(inner, self.chance(0.3)) if self.chance(0.85) else self.struct([inner])
        made = inner.make

        def make(n):  # with nulls and empty lists at all levels, so that each needs its own
            before, self.pattern, self.all_few = self.pattern, "some", True
            try:
                return made(n)
            finally:
                self.pattern, self.all_few = before, False

        inner.make = make
        return inner

    def blob(self):
        """A blob column, of the second kind where the version has it."""
        if self.version >= "2.2" and self.chance(0.6):
            field = lance.blob_field("x")

            def make(n):
                return lance.blob_array([None if x is None else x for x in self.with_nulls(self.v.bytes(n, False), True).to_pylist()])

            return Column(field.type, make, {k.decode(): x.decode() for k, x in (field.metadata or {}).items()}, True, slices=False)
        return Column(pa.large_binary(), lambda n: self.with_nulls(self.v.bytes(n, False), True), {"lance-encoding:blob": "true"}, True, slices=False)

    def top(self):
        """A column of a table."""
        if self.chance(0.06):
            return self.blob()
        if self.chance(0.02):
            return self.empty()
        if self.chance(0.03):
            return self.deep()
        return self.column(int(self.one(0, 0, 0, 1, 1, 2, 3, 4, 5, 6)))
