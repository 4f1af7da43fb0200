"""Makes the tables that the tests of this package read, and want.json, what pylance says of them.

Run in this folder with pylance 14.0.2 and pyarrow 26. Data files are removed again: the package does not open them.
"""

import base64
import json
import os
import shutil
import sys

import lance
import pyarrow as pa


def numbers(start, end):
    return pa.table({"id": pa.array(range(start, end), pa.int64()), "s": [str(i) for i in range(start, end)]})


def history():
    """Appends, deletions in both forms, a restored version, tags; files of version 2.0."""
    ds = lance.write_dataset(numbers(0, 100), "history.lance", data_storage_version="2.0")
    ds = lance.write_dataset(numbers(100, 13000), ds, mode="append", data_storage_version="2.0")
    ds.delete("id = 3 or id = 99 or id = 0")
    ds.tags.create("first-delete", 3)
    ds.delete("id > 200 and id % 2 = 0")
    ds.update_config({"a.key": "a value"})
    ds.tags.create("v1.0", 1)
    ds.delete("id < 100")
    ds = lance.dataset("history.lance", version=3)
    ds.restore()


def branches():
    ds = lance.write_dataset(numbers(0, 10), "branches.lance")
    ds = lance.write_dataset(numbers(10, 20), ds, mode="append")
    ds.delete("id = 3")
    b = ds.create_branch("feat/x")
    b = lance.write_dataset(numbers(100, 105), b, mode="append")
    b.delete("id = 12 or id = 102")
    ds.tags.create("on-branch", ("feat/x", 5))
    ds.create_branch("second", 1)
    lance.write_dataset(numbers(20, 30), ds, mode="append")


def row_ids():
    """Stable row ids: updates that move ids, compactions, deletions."""
    path = "row_ids.lance"
    ds = lance.write_dataset(numbers(0, 100), path, enable_stable_row_ids=True, max_rows_per_file=40)
    ds.delete("id in (1, 5, 50)")
    ds.update({"s": "'x'"}, "id in (7, 8, 90)")
    ds = lance.write_dataset(numbers(100, 120), path, mode="append")
    ds.optimize.compact_files()
    ds = lance.dataset(path)
    ds.delete("id % 7 = 1")
    ds.update({"s": "'y'"}, "id < 30")
    ds.optimize.compact_files()


def evolved():
    """Columns added, renamed, cast and dropped, in structs as well."""
    t = pa.table({"id": [1, 2, 3], "st": [{"a": 1, "b": {"c": "x", "d": 2.5}}] * 3})
    for version in ("2.0", "2.2"):
        path = f"evolved_{version}.lance"
        ds = lance.write_dataset(t, path, data_storage_version=version)
        ds.add_columns({"n": "id + 1"})
        ds.alter_columns({"path": "n", "name": "m"})
        ds.drop_columns(["id"])
        ds.alter_columns({"path": "m", "data_type": pa.int32()})
        ds.drop_columns(["st.b.c"])
        ds.add_columns(pa.field("late", pa.list_(pa.float32(), 4)))


def old_names():
    ds = lance.write_dataset(numbers(0, 3), "old_names.lance", enable_v2_manifest_paths=False)
    lance.write_dataset(numbers(3, 5), ds, mode="append")


def wide():
    """A manifest that one read of the tail does not hold."""
    schema = pa.schema([pa.field("id", pa.int64(), True, {"long": "x" * 70000})])
    lance.write_dataset(numbers(0, 3).select(["id"]).cast(schema), "wide.lance")


def legacy():
    lance.write_dataset(numbers(0, 3), "legacy.lance", data_storage_version="legacy")


def types():
    f = pa.field
    fields = [
        f("bool", pa.bool_()), f("i8", pa.int8(), False), f("u64", pa.uint64()), f("f16", pa.float16()), f("f64", pa.float64()),
        f("ts_zone", pa.timestamp("us", "+08:00")), f("ts_named", pa.timestamp("ms", "Europe/Berlin")), f("ts", pa.timestamp("ns")),
        f("dur", pa.duration("ms")), f("t32", pa.time32("s")), f("t64", pa.time64("ns")), f("d32", pa.date32()), f("d64", pa.date64()),
        f("dec", pa.decimal128(38, -3)), f("dec256", pa.decimal256(76, 10)), f("str", pa.string()), f("lstr", pa.large_string()),
        f("bin", pa.binary()), f("lbin", pa.large_binary()), f("fsb", pa.binary(7)), f("view", pa.string_view()), f("nul", pa.null()),
        f("dict", pa.dictionary(pa.int16(), pa.string())), f("dict2", pa.dictionary(pa.uint32(), pa.large_binary())),
        f("fsl", pa.list_(pa.float32(), 3)), f("fsl2", pa.list_(pa.list_(pa.int8(), 2), 3)),
        f("list", pa.list_(f("element", pa.int32(), False, {"u": "w"}))), f("llist", pa.large_list(pa.struct([f("q", pa.int8(), False)]))),
        f("fsl_struct", pa.list_(pa.struct([f("x", pa.float32())]), 3)), f("map", pa.map_(pa.string(), pa.list_(pa.int64())), True, {"m": "n"}),
        f("empty", pa.struct([])), f("bool8", pa.bool8()), f("uuid", pa.uuid()), f("json", pa.json_()),
        f("nested_json", pa.struct([f("js", pa.list_(pa.json_()))])),
        f("packed", pa.struct([f("x", pa.int32()), f("y", pa.float64())]), True, {"lance-encoding:packed": "true"}),
        f("blob", pa.large_binary(), True, {"lance-encoding:blob": "true"}),
    ]
    schema = pa.schema(fields, metadata={"k": "v", "é": "ü"})
    for version in ("2.1", "2.2"):
        keep = [x for x in schema if version == "2.2" or x.name not in ("map", "fsl_struct")]
        if version == "2.2":  # blobs of the second kind have a type of their own in pylance
            keep = [x for x in keep if x.name != "blob"]
        s = pa.schema(keep, metadata=schema.metadata)
        lance.write_dataset(pa.RecordBatchReader.from_batches(s, []), f"types_{version}.lance", schema=s, data_storage_version=version)


def runs(values):
    out = []
    for v in values:
        if out and out[-1][1] == v:
            out[-1][0] += 1
        else:
            out.append([1, v])
    return out


def version_of(ds, stable):
    fragments = []
    for f in ds.get_fragments():
        t = f.scanner(columns=[], with_row_id=True, with_row_address=True).to_table()
        x = {
            "id": f.fragment_id,
            "rows": f.physical_rows,
            "deleted": f.num_deletions,
            "files": [{"path": d.path, "fields": d.fields, "columns": d.column_indices} for d in f.data_files()],
            "live": runs(b - a for a, b in zip([-1] + [r & 0xFFFFFFFF for r in t["_rowaddr"].to_pylist()], [r & 0xFFFFFFFF for r in t["_rowaddr"].to_pylist()])),
        }
        if stable:
            x["row_ids"] = t["_rowid"].to_pylist()
            v = f.scanner(columns=["_row_created_at_version", "_row_last_updated_at_version"]).to_table()
            x["created"] = runs(v["_row_created_at_version"].to_pylist())
            x["updated"] = runs(v["_row_last_updated_at_version"].to_pylist())
        fragments.append(x)
    sink = pa.BufferOutputStream()
    pa.ipc.new_stream(sink, ds.schema).close()
    return {
        "version": ds.version,
        "format": ds.data_storage_version,
        "schema": base64.b64encode(sink.getvalue().to_pybytes()).decode(),
        "rows": ds.count_rows(),
        "fragments": fragments,
    }


def want(path):
    ds = lance.dataset(path)
    out = {"main": [], "tags": {k: [v["branch"] or "", v["version"]] for k, v in ds.tags.list().items()}, "branches": {}}
    stable = path == "row_ids.lance"
    for v in ds.versions():
        out["main"].append(version_of(lance.dataset(path, version=v["version"]), stable))
    for name in ds.branches.list():
        out["branches"][name] = [version_of(ds.checkout_version((name, v["version"])), stable) for v in ds.checkout_version((name, None)).versions()]
    return out


def main():
    for name in os.listdir("."):
        if name.endswith(".lance"):
            shutil.rmtree(name)
    for make in (history, branches, row_ids, evolved, old_names, wide, legacy, types):
        make()
    tables = sorted(n for n in os.listdir(".") if n.endswith(".lance"))
    with open("want.json", "w") as f:
        json.dump({n: want(n) for n in tables}, f, separators=(",", ":"))
        f.write("\n")
    for folder, _, _ in list(os.walk(".")):
        if os.path.basename(folder) in ("data", "_transactions"):
            shutil.rmtree(folder)
    for folder, _, files in os.walk("."):
        for name in files:
            if name == "latest_version_hint.json":
                os.remove(os.path.join(folder, name))


if __name__ == "__main__":
    sys.exit(main())
