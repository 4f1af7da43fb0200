"""Makes the data files that the tests of this package read: NAME.lance, NAME.json (which columns it holds, and the field
ids and physical columns that a manifest lists), and *.arrow, the values that were written.

Run in this folder with pylance 14.0.2 and pyarrow 26.
"""

import decimal
import json
import os
import shutil

import lance
import pyarrow as pa
from lance.file import LanceFileWriter

N = 150


def some(i, value):
    return None if i % 7 == 3 else value


def field(name, typ, value):
    return pa.field(name, typ), pa.array([value(i) for i in range(N)], typ)


def json_lists(name):
    lists = pa.array([["%d" % k for k in range(i % 3)] for i in range(N)])
    items = lists.values.cast(pa.string())
    return pa.field(name, pa.list_(pa.json_())), pa.ListArray.from_arrays(lists.offsets, pa.ExtensionArray.from_storage(pa.json_(), items))


def encoding(**kw):
    return {f"lance-encoding:{k}": v for k, v in kw.items()}


def with_metadata(pair, metadata):
    return pair[0].with_metadata(metadata), pair[1]


def columns(version):
    out = [
        field("i64", pa.int64(), lambda i: i * 3),
        field("i8_some", pa.int8(), lambda i: some(i, i - 75)),
        field("u32_all", pa.uint32(), lambda i: None),
        field("b", pa.bool_(), lambda i: i % 3 == 0),
        field("b_some", pa.bool_(), lambda i: some(i, i % 5 == 0)),
        field("f16", pa.float16(), lambda i: some(i, i / 4)),
        field("f64", pa.float64(), lambda i: i / 7),
        field("dec", pa.decimal128(20, 3), lambda i: some(i, decimal.Decimal(i * 1001).scaleb(-3))),
        field("ts", pa.timestamp("us", "+02:00"), lambda i: i * 10**9),
        field("fsb", pa.binary(3), lambda i: some(i, bytes([i, 1, 2]))),
        field("nul", pa.null(), lambda i: None),
        field("s", pa.string(), lambda i: some(i, "é" * (i % 4) + str(i * i))),
        field("s_few", pa.string(), lambda i: some(i, "few %d" % (i % 5))),
        field("s_empty", pa.string(), lambda i: ""),
        field("ls", pa.large_string(), lambda i: some(i, "large %d" % (i * i))),
        field("bin", pa.binary(), lambda i: some(i, bytes(range(i % 9)))),
        field("l", pa.list_(pa.int32()), lambda i: some(i, [some(k, k) for k in range(i % 6)])),
        field("ll", pa.list_(pa.list_(pa.string())), lambda i: some(i, [some(k, ["v%d" % (i + m) for m in range(k)]) for k in range(i % 5)])),
        field("lst", pa.large_list(pa.struct([("x", pa.int16()), ("y", pa.string())])), lambda i: some(i, [{"x": some(k, i), "y": str(k)} for k in range(i % 4)])),
        field("st", pa.struct([("a", pa.int32()), ("in", pa.struct([("c", pa.string()), ("d", pa.list_(pa.float32()))]))]), lambda i: {"a": some(i, i), "in": {"c": str(i), "d": [i / 2] * (i % 3)}}),
        field("fsl", pa.list_(pa.float32(), 3), lambda i: some(i, [i, i + 1, i + 2])),
        field("fsl_items", pa.list_(pa.int16(), 2), lambda i: [i, some(i, i)]),
        field("fsl2", pa.list_(pa.list_(pa.int8(), 2), 2), lambda i: some(i, [[1, 2], [i % 100, 4]])),
        field("fsl_bool", pa.list_(pa.bool_(), 5), lambda i: some(i, [i % 2 == 0, True, False, i % 3 == 0, True])),
        (pa.field("dict", pa.dictionary(pa.int16(), pa.string())), pa.array([some(i, "d%d" % (i % 9)) for i in range(N)]).dictionary_encode().cast(pa.dictionary(pa.int16(), pa.string()))),
        with_metadata(field("packed", pa.struct([("x", pa.int8()), ("y", pa.float64())]), lambda i: {"x": i % 100, "y": i / 8}), encoding(packed="true")),
        field("json", pa.json_(), lambda i: some(i, json.dumps({"i": i, "a": [None, True, i / 2, "q\"\n"]}, separators=(",", ":"), sort_keys=True))),
        json_lists("json_list"),
        with_metadata(field("zstd", pa.string(), lambda i: "compress me %d" % (i * i)), encoding(compression="zstd")),
        with_metadata(field("lz4", pa.string(), lambda i: some(i, "compress me too %d" % (i * i))), encoding(compression="lz4")),
        with_metadata(field("blob", pa.large_binary(), lambda i: some(i, b"blob" * (i % 5))), encoding(blob="true")),
    ]
    if version == "2.0":
        out.append(with_metadata(field("packed_fsl", pa.struct([("x", pa.int8()), ("v", pa.list_(pa.int16(), 2))]), lambda i: {"x": i % 100, "v": [i, -i]}), encoding(packed="true")))
        out.append(with_metadata(field("fsst", pa.string(), lambda i: some(i, "a longer text that repeats %d " % (i * i) * 12)), encoding(compression="fsst")))
    skip = {"legacy": (), "2.0": (), "2.1": ("blob",), "2.2": ("blob",)}[version]
    return [c for c in out if c[0].name not in skip]


def write_values(name, table):
    with pa.OSFile(name + ".arrow", "wb") as f, pa.ipc.new_file(f, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd", unify_dictionaries=True)) as w:
        w.write_table(table.combine_chunks())


def write_layout(name, values, names, fields, columns):
    with open(name + ".json", "w") as f:
        json.dump({"values": values + ".arrow", "names": names, "fields": fields, "columns": columns}, f)
        f.write("\n")


def types(version):
    cols = columns(version)
    table = pa.table([c[1] for c in cols], schema=pa.schema([c[0] for c in cols]))
    shutil.rmtree("tmp.lance", ignore_errors=True)
    ds = lance.write_dataset(table, "tmp.lance", data_storage_version=version)
    data = ds.get_fragments()[0].data_files()[0]
    shutil.copy(f"tmp.lance/data/{data.path}", f"types_{version}.lance")
    write_layout(f"types_{version}", "types", table.column_names, data.fields, data.column_indices)
    if version == "2.0":  # it has all columns
        write_values("types", table)
    shutil.rmtree("tmp.lance")


def legacy():
    """A legacy file of several batches, and what pylance reads of it: most nulls are lost."""
    cols = [c for c in columns("legacy") if c[0].name not in ("packed", "json_list", "zstd", "lz4", "blob")]
    table = pa.table([c[1] for c in cols], schema=pa.schema([c[0] for c in cols]))
    shutil.rmtree("tmp.lance", ignore_errors=True)
    lance.write_dataset(table, "tmp.lance", data_storage_version="legacy", max_rows_per_group=40)
    # Another session, as that of the writer knows dictionaries as they were before they were stored.
    ds = lance.dataset("tmp.lance", session=lance.Session())
    data = ds.get_fragments()[0].data_files()[0]
    shutil.copy(f"tmp.lance/data/{data.path}", "types_legacy.lance")
    write_layout("types_legacy", "types_legacy", table.column_names, data.fields, [])
    write_values("types_legacy", ds.to_table())
    shutil.rmtree("tmp.lance")


def pages():
    """Many pages a column: items of lists are cut into pages elsewhere than the lists."""
    schema = pa.schema([
        ("id", pa.int64()), ("s", pa.string()), ("few", pa.string()), ("l", pa.list_(pa.int16())),
        ("lls", pa.list_(pa.list_(pa.string()))), ("d", pa.dictionary(pa.int8(), pa.string())),
    ])
    batches = []
    for k in range(6):
        rows = range(k * 130, k * 130 + 130)
        batches.append(pa.record_batch([
            pa.array(rows, pa.int64()),
            pa.array([some(i, "t%d" % i * (i % 5)) for i in rows]),
            pa.array([some(i, "few %d" % (i % (k + 2))) for i in rows]),
            pa.array([some(i, list(range(i % 11))) for i in rows], pa.list_(pa.int16())),
            pa.array([some(i, [some(m, ["x%d" % i] * m) for m in range(i % 4)]) for i in rows], pa.list_(pa.list_(pa.string()))),
            pa.DictionaryArray.from_arrays(pa.array([some(i, i % 4) for i in rows], pa.int8()), pa.array(["p%d" % (k * 2 + m) for m in range(4)])),
        ], schema=schema))
    for version in ("2.0", "2.1"):
        with LanceFileWriter(f"pages_{version}.lance", schema, data_cache_bytes=1, version=version) as w:
            for b in batches:
                w.write_batch(b)
    # Pre-order, as the ids are given: all fields in 2.0, leaves from 2.1 on.
    every, leaves = list(range(9)), [0, 1, 2, 4, 7, 8]
    for version, fields in (("2.0", every), ("2.1", leaves)):
        write_layout(f"pages_{version}", "pages", schema.names, fields, list(range(len(fields))))
    write_values("pages", pa.Table.from_batches(batches))


def main():
    for name in os.listdir("."):
        if name.endswith((".lance", ".arrow", ".json")):
            os.remove(name)
    for version in ("2.0", "2.1", "2.2"):
        types(version)
    legacy()
    pages()


if __name__ == "__main__":
    main()
