"""Writes tables of one column each into a folder, takes random rows of them by pylance, and tells what that read.

    takes.py DIR [NAME ...]

DIR/NAME.lance are the tables, DIR/NAME.arrow what pylance took, DIR/takes.json a list of {"table", "offsets", "bytes",
"requests"}: bytes and requests by pylance's own counters, from an opened table on, its footers included.
DIR/leaf.json is a list of {"table", "path", "bytes"}: a leaf of a table of 50 nested columns, and the bytes of its pages by
the files' own metadata.
"""

import json
import os
import random
import sys

import lance
import numpy as np
import pyarrow as pa
from lance.file import LanceFileReader

ROWS = 100_000
TAKEN = 1000
rnd = np.random.default_rng(5)


def text(lengths):
    """Texts of random letters, which don't compress much."""
    ends = np.cumsum(lengths, dtype=np.int64)
    letters = rnd.integers(97, 123, int(ends[-1]), dtype=np.uint8).tobytes()
    offsets = np.concatenate([[0], ends])
    return pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(letters)).cast(pa.utf8())


def floats(n):
    return pa.array(rnd.standard_normal(n, dtype=np.float32))


def lists(counts):
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), floats(int(offsets[-1])))


def vectors(n, dim):
    return pa.FixedSizeListArray.from_arrays(floats(n * dim), dim)


def nulls(array, every):
    return pa.compute.if_else(pa.array(np.arange(len(array)) % every != 0), array, None)


def variable(n):
    counts = rnd.integers(0, 40, n)
    values = lists(counts)
    names = pa.array([["y", "x"]] * n)
    sizes = pa.array([[1, int(c)] for c in counts], pa.list_(pa.uint32()))
    attrs = pa.StructArray.from_arrays([pa.array(["K"] * n), text(rnd.integers(5, 15, n))], ["units", "name"])
    return pa.StructArray.from_arrays([values, names, sizes, attrs], ["values", "dim_names", "dim_sizes", "attrs"])


def nested(n):
    leaf = pa.StructArray.from_arrays([pa.array(rnd.integers(0, 1 << 60, n)), text(rnd.integers(0, 20, n))], ["x", "y"])
    return pa.StructArray.from_arrays([nulls(pa.array(rnd.integers(0, 1 << 20, n)), 7), leaf, lists(rnd.integers(0, 4, n))], ["a", "t", "l"])


COLUMNS = {
    "int64": lambda: pa.array(rnd.integers(0, 1 << 62, ROWS)),
    "narrow": lambda: pa.array(np.arange(ROWS)),
    "bool": lambda: pa.array(rnd.integers(0, 2, ROWS).astype(bool)),
    "holes": lambda: nulls(pa.array(rnd.integers(0, 1 << 62, ROWS)), 3),
    "short": lambda: text(rnd.integers(0, 24, ROWS)),
    "few": lambda: pa.array([f"category {i}" for i in rnd.integers(0, 50, ROWS)]),
    "long": lambda: text(rnd.integers(300, 3000, 10_000)),
    "list": lambda: lists(rnd.integers(0, 30, ROWS)),
    "longlist": lambda: lists(rnd.integers(500, 4000, 4000)),
    "vec128": lambda: vectors(20_000, 128),
    "vec384": lambda: nulls(vectors(8_000, 384), 9),
    "vec1536": lambda: vectors(4_000, 1536),
    "variable": lambda: variable(20_000),
    "nested": lambda: nested(ROWS),
    "blob": lambda: pa.array([bytes(rnd.integers(0, 256, int(k), dtype=np.uint8)) for k in rnd.integers(1000, 9000, 3000)], pa.large_binary()),
}


def take(uri, offsets, blob):
    ds = lance.dataset(uri)
    ds.io_stats_incremental()
    if blob:
        got = pa.array([b.readall() for b in ds.take_blobs("v", indices=offsets)], pa.large_binary())
        got = pa.table({"v": got})
    else:
        got = ds.take(offsets)
    s = ds.io_stats_incremental()
    return got, s.read_bytes, s.read_iops


def wide(folder, version):
    """50 columns, each a struct of a number and a struct of a text and a list: 150 leaves, physical columns in this order."""
    n = 20_000
    def column(i):
        inner = pa.StructArray.from_arrays([text(rnd.integers(0, 20, n)), lists(rnd.integers(0, 4, n))], ["y", "z"])
        return pa.StructArray.from_arrays([pa.array(rnd.integers(0, 1 << 60, n)), inner], ["x", "t"])
    table = pa.table({f"c{i}": column(i) for i in range(50)})
    name = f"wide_{version.replace('.', '_')}"
    uri = os.path.join(folder, name + ".lance")
    ds = lance.write_dataset(table, uri, data_storage_version=version, max_rows_per_file=n // 2)
    pages = [0, 0, 0]
    for f in (f for fragment in ds.get_fragments() for f in fragment.data_files()):
        columns = LanceFileReader(os.path.join(uri, "data", f.path)).metadata().columns
        # Up to 2.0 structs and lists have columns of their own: c, x, t, y, z and z's items.
        per, of = (6, [[1], [3], [4, 5]]) if version == "2.0" else (3, [[0], [1], [2]])
        for k, group in enumerate(of):
            pages[k] += sum(b.size for c in group for p in columns[per * 37 + c].pages for b in p.buffers)
    return [{"table": name, "path": ["c37", *path], "bytes": n} for path, n in zip([["x"], ["t", "y"], ["t", "z"]], pages)]


def main(folder, names):
    out = []
    for kind, make in COLUMNS.items():
        if names and kind not in names:
            continue
        column = make()
        blob = kind == "blob"
        field = pa.field("v", column.type, metadata={"lance-encoding:blob": "true"} if blob else None)
        table = pa.table([column], schema=pa.schema([field]))
        for version in ["2.0", "2.1"] if blob else ["2.0", "2.1", "2.2"]:
            name = f"{kind}_{version.replace('.', '_')}"
            uri = os.path.join(folder, name + ".lance")
            lance.write_dataset(table, uri, data_storage_version=version, max_rows_per_file=len(table) // 2)
            offsets = sorted(random.Random(name).sample(range(len(table)), TAKEN))
            got, read, requests = take(uri, offsets, blob)
            with pa.OSFile(os.path.join(folder, name + ".arrow"), "wb") as f, pa.ipc.new_file(f, got.schema) as w:
                w.write_table(got.combine_chunks())
            out.append({"table": name, "offsets": offsets, "bytes": read, "requests": requests})
    with open(os.path.join(folder, "takes.json"), "w") as f:
        json.dump(out, f)
    with open(os.path.join(folder, "leaf.json"), "w") as f:
        json.dump([leaf for version in ["2.0", "2.1", "2.2"] for leaf in wide(folder, version)], f)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
