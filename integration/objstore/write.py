"""Writes tables with pylance into a bucket through its own S3 client, and what they hold as Arrow files into a folder.

usage: write.py ENDPOINT FOLDER
"""
import os
import sys

import lance
import numpy as np
import pyarrow as pa
import pyarrow.ipc

endpoint, folder = sys.argv[1:]
options = {
    "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
    "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
    "aws_endpoint": endpoint,
    "aws_region": "us-east-1",
    "allow_http": "true",
}


def keep(name, table):
    with pa.OSFile(os.path.join(folder, name + ".arrow"), "wb") as f:
        with pa.ipc.new_file(f, table.schema) as w:
            w.write_table(table)


def make(name, table, **more):
    return lance.write_dataset(table, f"s3://lake/tables/{name}.lance", storage_options=options, **more)


rng = np.random.default_rng(7)


def rows(n, start=0):
    ids = np.arange(start, start + n)
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "x": pa.array(rng.random(n), pa.float64(), mask=ids % 7 == 3),
        "name": pa.array([f"row {i}" * (i % 5) for i in ids]),
        "l": pa.array([list(range(i % 4)) if i % 11 else None for i in ids], pa.list_(pa.int32())),
        "s": pa.StructArray.from_arrays([pa.array(ids % 100, pa.int16()), pa.array([f"u{i % 3}" for i in ids])], ["a", "b"]),
    })


for version in ["2.0", "2.1", "2.2"]:
    name = "plain_" + version.replace(".", "_")
    table = rows(5000)
    make(name, table, max_rows_per_file=1700, data_storage_version=version)
    keep(name, table)

table = rows(3000)
ds = make("changed", table, max_rows_per_file=1000)
ds.delete("id % 3 = 1")
ds = make("changed", rows(500, start=9000), mode="append")
ds.delete("id between 500 and 700")
keep("changed", ds.to_table())
keep("changed@1", ds.checkout_version(1).to_table())
ds.tags.create("first", 1)

# Many fragments: the filter passes two rows of each.
table = rows(100 * 400)
make("many", table, max_rows_per_file=400)
keep("many", table)

# Many fragments again, larger than what is read with a file's metadata, with an n-d array and its stats: v's values lie
# around 0 in even rows and around 1 in odd ones.
n = 100 * 4000
table = rows(n)
odd = np.arange(n) % 2
values = (odd + rng.random(n) * 0.25).repeat(3)
nd = pa.StructArray.from_arrays(
    [
        pa.ListArray.from_arrays(pa.array(np.arange(0, 3 * n + 1, 3), pa.int32()), pa.array(values)),
        pa.ListArray.from_arrays(pa.array(np.arange(n + 1), pa.int32()), pa.array(["d"] * n)),
        pa.ListArray.from_arrays(pa.array(np.arange(n + 1), pa.int32()), pa.array([3] * n, pa.uint32())),
    ],
    ["values", "dim_names", "dim_sizes"],
)
stats = pa.StructArray.from_arrays([pa.array(values.reshape(n, 3).min(1)), pa.array(values.reshape(n, 3).max(1))], ["min", "max"])
table = table.append_column(pa.field("v", nd.type, metadata={"ARROW:extension:name": "nd_arrow.array"}), nd)
table = table.append_column("__stats__:v", stats)
make("far", table, max_rows_per_file=4000)
keep("far", table.drop_columns(["__stats__:v"]))

# Indices of each kind, which cover all but the last fragment.
n = 20 * 2000
table = rows(n).append_column("kind", pa.array([f"k{i % 5}" for i in range(n)]))
ds = make("indexed", table, max_rows_per_file=2000)
ds.create_scalar_index("id", "BTREE")
ds.create_scalar_index("kind", "BITMAP")
ds.create_scalar_index("x", "ZONEMAP")
more = rows(100, start=n).append_column("kind", pa.array(["k3"] * 100))
make("indexed", more, mode="append")
keep("indexed", pa.concat_tables([table, more]))

# A table in a schema of its own.
make("deep/inner", rows(10))

# One with pages of several MiB.
table = pa.table({"id": pa.array(np.arange(1_500_000), pa.int64()), "v": pa.array(rng.random(1_500_000))})
make("big", table)
keep("big", table)
