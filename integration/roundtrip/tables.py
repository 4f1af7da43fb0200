"""Writes random Lance tables and what pylance reads of them, a table for each seed.

    python tables.py DIR FIRST COUNT [--version V]

For seed S there is the table DIR/S.lance and DIR/S.arrow with what pylance reads. A line of JSON on standard output tells
of each: its seed, the file versions, whether it was written ("ok") or why not. What pylance reads is the reference, also
where it is not what was written.
"""

import argparse
import json
import os
import shutil
import sys
import traceback

os.environ |= {"RUST_LOG": "off", "RUST_BACKTRACE": "0"}

import lance
import numpy as np
import pyarrow as pa

from columns import Columns

VERSIONS = ["2.0", "2.1", "2.2", "2.2", "2.3"]
MOST_BYTES = 10_000_000  # of a table, about
SIZES = [0, 1, 2, 5, 31, 100, 100, 257, 700, 1000, 1023, 1024, 1025, 2047, 2500, 4095, 4096, 4097, 6000, 20_000]


class Plan:
    """What a seed says of its table."""

    def __init__(self, seed, version):
        self.rng = np.random.default_rng(seed)
        one = lambda *c: c[self.rng.integers(len(c))]
        self.version = version or one(*VERSIONS)
        self.columns = Columns(self.rng, self.version)
        count = int(one(1, 1, 2, 3))
        self.fields = [self.columns.top() for _ in range(count)]
        self.rows = min(int(one(*SIZES)), MOST_BYTES // sum(c.cost for c in self.fields))
        self.options = {}
        if self.rng.random() < 0.3:
            self.options["max_rows_per_file"] = int(one(100, 1000, 1024, 3000))
        if self.rng.random() < 0.3:
            self.options["data_cache_bytes"] = int(one(1, 4096, 65536))
        if self.rng.random() < 0.1:
            self.options["max_page_bytes"] = int(one(4096, 65536))
        if self.rng.random() < 0.15:
            self.options["enable_stable_row_ids"] = True
        self.appends = [(str(one(*VERSIONS)), int(one(1, 10, 1024, 1500))) for _ in range(one(0, 0, 0, 0, 1, 2))]
        self.grows = self.rng.random() < 0.08
        self.deletes = self.rng.random() < 0.15
        self.slice = int(one(0, 0, 0, 1, 13))

    def table(self, rows):
        """A table of so many rows, in one to three batches that may begin within their buffers."""
        self.columns.pattern = None
        if self.rng.random() < 0.3:
            self.columns.pattern = self.columns.one("none", "all", "some", "few")
        schema = pa.schema([c.field(f"c{i}") for i, c in enumerate(self.fields)])
        batches = []
        cuts = sorted(int(x) for x in self.rng.integers(0, rows + 1, size=self.columns.one(0, 0, 1, 2)))
        for start, end in zip([0, *cuts], [*cuts, rows]):
            n = end - start
            arrays = [c.make(n + self.slice).slice(self.slice) if c.slices else c.make(n) for c in self.fields]
            batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
        return pa.Table.from_batches(batches, schema=schema)


def write(plan, path):
    """Writes the table, gives the versions of its files."""
    ds = lance.write_dataset(plan.table(plan.rows), path, data_storage_version=plan.version, **plan.options)
    versions = [plan.version]
    for version, rows in plan.appends:
        options = {k: v for k, v in plan.options.items() if k != "enable_stable_row_ids"}
        try:
            ds = lance.write_dataset(plan.table(rows), path, mode="append", data_storage_version=version, **options)
        except BaseException as e:
            if not refused(e):
                raise
            continue
        versions.append(version)
    if plan.grows:  # columns that no file has
        ds.add_columns([pa.field("added", plan.columns.one(pa.int32(), pa.utf8(), pa.list_(pa.float64()), pa.struct([("x", pa.int8()), ("y", pa.list_(pa.utf8()))])))])
        ds = lance.dataset(path)
    total = ds.count_rows()
    if plan.deletes and total > 0:
        ids = ds.to_table(columns=[], with_row_id=True)["_rowid"].to_pylist()
        gone = [ids[i] for i in np.unique(plan.rng.integers(total, size=min(total, 300)))]
        ds.delete("_rowid in (%s)" % ",".join(map(str, gone)))
    return versions


def read_all(ds):
    """What pylance reads. Fixed-size lists of structs it reads beside nothing else, and beside structs without members it
    reads other columns as nulls."""
    try:
        if pa.struct([]) in ds.schema.types:
            raise OSError("differing lengths")
        return ds.to_table(blob_handling="all_binary")
    except Exception as e:
        if "differing lengths" not in str(e):
            raise
    columns = [ds.to_table(columns=[name], blob_handling="all_binary") for name in ds.schema.names]
    return pa.Table.from_arrays([t.column(0) for t in columns], schema=pa.schema([t.schema.field(0) for t in columns]))


def refused(e):
    """pylance refuses, or panics; all else is a fault of this program."""
    return isinstance(e, OSError) or type(e).__name__ == "PanicException" or isinstance(e, (pa.ArrowInvalid, ValueError)) and "rust" in str(e) or "Lance reader producer" in str(e)


def make(directory, seed, version):
    path = os.path.join(directory, f"{seed}.lance")
    plan = Plan(seed, version)
    out = {"seed": seed, "versions": [plan.version], "rows": plan.rows, "columns": [str(c.field("")) for c in plan.fields], "status": "ok"}
    try:
        out["versions"] = write(plan, path)
        ds = lance.dataset(path)
        read = read_all(ds)
    except BaseException as e:
        if not refused(e):
            return out | {"status": "broken", "why": traceback.format_exc()}
        shutil.rmtree(path, ignore_errors=True)
        return out | {"status": "refused", "why": str(e)[:300]}
    out["rows"] = read.num_rows
    with pa.OSFile(os.path.join(directory, f"{seed}.arrow"), "wb") as f:
        with pa.ipc.new_stream(f, read.schema) as w:
            w.write_table(read)
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("first", type=int)
    p.add_argument("count", type=int)
    p.add_argument("--version")
    a = p.parse_args()
    os.makedirs(a.dir, exist_ok=True)
    for seed in range(a.first, a.first + a.count):
        print(json.dumps(make(a.dir, seed, a.version)), flush=True)
        if sys.stdin.readline() == "" :  # one line for each table that may follow
            break


if __name__ == "__main__":
    main()
