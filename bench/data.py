"""Writes the tables of the benchmark with pylance, from a fixed seed.

    python data.py DIR [--scale 1.0]

DIR/VERSION/NAME.lance is written for each file version. What is there already, of the same recipe and scale, stays.
"""

import argparse
import hashlib
import shutil
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa

SEED = 20260101
VERSIONS = ["2.0", "2.1", "2.2"]
WORDS = [
    "ocean", "surface", "salinity", "buoy", "drift", "north", "current", "depth", "profile", "sensor", "quality",
    "delayed", "mode", "cycle", "station", "atlantic", "pacific", "arctic", "float", "temperature", "adjusted", "error",
]


def texts(rng, n, low, high):
    """Texts of low to high words."""
    counts = rng.integers(low, high + 1, n)
    picks = rng.integers(0, len(WORDS), counts.sum())
    numbers = rng.integers(0, 1 << 20, n)
    out, at = [], 0
    for k, c in enumerate(counts):
        out.append(" ".join([WORDS[i] for i in picks[at : at + c]] + [f"{numbers[k]:x}"]))
        at += c
    return pa.array(out, pa.utf8())


def with_nulls(rng, array, share):
    mask = pa.array(rng.random(len(array)) < share)
    return pa.compute.if_else(mask, pa.scalar(None, array.type), array)


def offsets_of(counts):
    return pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))


def scalars(rng, n):
    kinds = pa.array([f"kind {i}" for i in range(40)])
    keys = pa.array(rng.integers(0, 40, n).astype(np.int32))
    return pa.table(
        {
            "i64": pa.array(rng.integers(-(1 << 40), 1 << 40, n)),
            "seq": pa.array(np.arange(n, dtype=np.int64)),
            "f64": pa.array(rng.normal(0, 1, n)),
            "bool": with_nulls(rng, pa.array(rng.random(n) < 0.3), 0.1),
            "ts": with_nulls(rng, pa.array(np.sort(rng.integers(1_600_000_000_000_000, 1_700_000_000_000_000, n)), pa.timestamp("us")), 0.05),
            "dec": pa.array(rng.integers(-(10**9), 10**9, n)).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)),
            "short": texts(rng, n, 1, 3),
            "kind": kinds.take(keys),
            "dict": pa.DictionaryArray.from_arrays(keys, kinds),
        }
    )


def long_texts(rng, n):
    return pa.table({"id": pa.array(np.arange(n)), "long": texts(rng, n, 40, 120)})


def nested(rng, n):
    inner = pa.StructArray.from_arrays(
        [with_nulls(rng, pa.array(rng.normal(0, 1, n)), 0.1), with_nulls(rng, pa.array(rng.integers(0, 1000, n)), 0.1)], ["x", "y"]
    )
    mask = pa.array(rng.random(n) < 0.1)
    record = pa.StructArray.from_arrays(
        [pa.array(rng.integers(0, 1 << 30, n)), with_nulls(rng, texts(rng, n, 1, 2), 0.1), inner], ["a", "b", "c"], mask=mask
    )
    five = pa.ListArray.from_arrays(offsets_of(rng.integers(3, 8, n)), pa.array(rng.integers(0, 1 << 30, 8 * n).astype(np.int32)))
    counts = rng.integers(0, 6, n)
    total = int(counts.sum())
    items = pa.StructArray.from_arrays(
        [with_nulls(rng, pa.array(rng.integers(0, 1 << 20, total)), 0.05), pa.array(rng.normal(0, 1, total)), texts(rng, total, 1, 1)], ["k", "v", "name"]
    )
    things = pa.ListArray.from_arrays(offsets_of(counts), items, mask=pa.array(rng.random(n) < 0.05))
    return pa.table({"record": record, "five": five, "things": things})


def vectors(rng, n):
    return pa.table({"id": pa.array(np.arange(n)), "vec": pa.FixedSizeListArray.from_arrays(pa.array(rng.normal(0, 1, n * 128).astype(np.float32)), 128)})


def blobs(rng, n):
    sizes = rng.integers(8 << 10, 24 << 10, n)
    return pa.table({"id": pa.array(np.arange(n)), "blob": pa.array([rng.bytes(s) for s in sizes], pa.binary())})


def wide(rng, n):
    """50 columns, each a struct of a struct and a list."""
    cols = {}
    for i in range(50):
        deep = pa.StructArray.from_arrays([pa.array(rng.normal(0, 1, n)), pa.array(rng.integers(0, 1 << 30, n))], ["x", "y"], mask=pa.array(rng.random(n) < 0.05))
        tags = pa.ListArray.from_arrays(offsets_of(np.full(n, 2)), pa.array(rng.integers(0, 100, 2 * n).astype(np.int32)))
        cols[f"c{i:02d}"] = pa.StructArray.from_arrays([deep, tags, pa.array(rng.integers(0, 50, n))], ["deep", "tags", "n"])
    return pa.table(cols)


def variable(values, lengths, dims, units, n):
    """The column of an n-d array: n rows of lengths values each."""
    lists = pa.ListArray.from_arrays(offsets_of(np.full(n, lengths)), values)
    names = pa.ListArray.from_arrays(offsets_of(np.full(n, len(dims))), pa.array([d for d, _ in dims] * n))
    sizes = pa.ListArray.from_arrays(offsets_of(np.full(n, len(dims))), pa.array(np.tile([s for _, s in dims], n).astype(np.uint32)))
    attrs = pa.StructArray.from_arrays([pa.array([units] * n)], ["units"])
    return pa.StructArray.from_arrays([lists, names, sizes, attrs], ["values", "dim_names", "dim_sizes", "attrs"])


def nd(rng, n):
    """Tiles of 16 x 16 floats with their axes, and the stats of each; the latitudes are in no order."""
    start = rng.uniform(-90, 86, n)
    lat = start[:, None] + np.arange(16) * 0.25
    sst = (20 - np.abs(start)[:, None] / 4 + rng.normal(0, 1, (n, 256))).astype(np.float32)
    cols, fields = [], []
    for name, grid, dims, units in [("lat", lat, [("y", 16)], "degrees_north"), ("sst", sst, [("y", 16), ("x", 16)], "degC")]:
        column = variable(pa.array(grid.reshape(-1)), grid.shape[1], dims, units, n)
        stats = pa.StructArray.from_arrays([pa.array(grid.min(axis=1)), pa.array(grid.max(axis=1))], ["min", "max"])
        cols += [column, stats]
        fields += [
            pa.field(name, column.type, metadata={"ARROW:extension:name": "nd_arrow.array"}),
            pa.field(f"__stats__:{name}", stats.type),
        ]
    cols.insert(0, pa.array(np.arange(n)))
    fields.insert(0, pa.field("id", pa.int64()))
    return pa.table(cols, schema=pa.schema(fields))


# The rows of each table at scale 1.
TABLES = {
    "scalars": (scalars, 2_000_000),
    "long": (long_texts, 200_000),
    "nested": (nested, 500_000),
    "vectors": (vectors, 100_000),
    "blobs": (blobs, 6_000),
    "wide": (wide, 60_000),
    "nd": (nd, 60_000),
}


def plain_structs(column):
    """A column whose structs are never null, as version 2.0 stores no validity of structs; their fields are null instead."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_struct(array.type):
        return array
    return pa.StructArray.from_arrays([plain_structs(c) for c in array.flatten()], fields=list(array.type))


def make(root, scale):
    recipe = hashlib.sha256(Path(__file__).read_bytes() + f"{scale} {lance.__version__}".encode()).hexdigest()
    stamp = root / "recipe"
    if stamp.exists() and stamp.read_text() == recipe:
        return
    shutil.rmtree(root, ignore_errors=True)
    for i, (name, (build, rows)) in enumerate(TABLES.items()):
        n = max(int(rows * scale), 1000)
        table = build(np.random.default_rng([SEED, i]), n)
        for version in VERSIONS:
            if version == "2.0":
                written = pa.table([plain_structs(c) for c in table.columns], schema=table.schema)
            else:
                written = table
            # Two fragments, so that the bounds between them are part of every scan.
            lance.write_dataset(written, root / version / f"{name}.lance", data_storage_version=version, max_rows_per_file=-(-n // 2))
    stamp.write_text(recipe)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir", type=Path)
    p.add_argument("--scale", type=float, default=1.0)
    args = p.parse_args()
    make(args.dir, args.scale)


if __name__ == "__main__":
    main()
