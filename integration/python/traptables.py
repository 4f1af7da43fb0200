"""Makes the tables of the SQL checks, once for each layout, a layout being a schema of its own.

Every layout holds the same live rows: in one fragment or in one for each row, with rows deleted at either end and
between, in file versions 2.0, 2.1 and 2.2. File version 2.0 has no null structs, so the tables that need them are
left out there. The schema `changed` holds tables that were altered.

    python traptables.py DIR
"""

import datetime as dt
import sys
from decimal import Decimal

import lance
import pyarrow as pa

UTC = dt.timezone.utc
NAN, INF = float("nan"), float("inf")

# layout: file version, rows of a fragment (0: all in one), whether deleted rows stand between the live ones
LAYOUTS = {
    "v20": ("2.0", 0, False),
    "v20parts": ("2.0", 2, True),
    "v21": ("2.1", 0, False),
    "v21parts": ("2.1", 1, False),
    "v21deleted": ("2.1", 0, True),
    "v22parts": ("2.2", 2, True),
}
NEED_NULL_STRUCTS = {"n", "m", "ms", "lists"}


def column(type, *values):
    return pa.array(values, type)


def numbered(*columns, **named):
    """The columns v (or as named) behind ids from 1."""
    arrays = dict(zip(("v",), columns)) | named
    n = len(next(iter(arrays.values())))
    return pa.table({"id": pa.array(range(1, n + 1), pa.int32()), **arrays})


TIMES = [dt.datetime(1969, 12, 31, 23, 59, 59, 500000), dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12)]

N = pa.struct([("x", pa.int32()), ("y", pa.struct([("z", pa.int32())]))])
H = pa.struct([("values", pa.list_(pa.float64())), ("shape", pa.list_(pa.int32()))])
STATS = pa.struct([("min", pa.float64()), ("max", pa.float64())])

VALUES = [[1.0, 2.0, 3.0], [], None, [None, None], [1.0, None, 9.0], [NAN, 0.5], None]


def bounds(values):
    counting = [v for v in values or [] if v is not None and v == v]
    return {"min": min(counting, default=None), "max": max(counting, default=None)}


def arrays(stats=False):
    """Row 3 lacks h; row 7 has it with null leaves."""
    h = [None if i == 2 else {"values": v, "shape": None if v is None else [len(v)]} for i, v in enumerate(VALUES)]
    table = numbered(h=pa.array(h, H))
    if stats:
        rows = [None if x is None else bounds(x["values"]) for x in h]
        table = table.append_column("__stats__:h", pa.array(rows, STATS))
    return table


def tables():
    i64, f64, i32, text = pa.int64(), pa.float64(), pa.int32(), pa.string()
    l = pa.table({"id": column(i32, 1, 2, 3), "k": column(i32, 1, 2, None)})
    rr = pa.table({"k": column(i32, 1, 3, None), "w": column(i32, 10, 30, 40)})
    c = pa.table(
        {
            "Ab": column(i32, 1),
            "w": pa.array([{"a.b": 2}], pa.struct([("a.b", i32)])),
            "a": pa.array([{"b": 3}], pa.struct([("b", i32)])),
        }
    )
    hours = [dt.datetime(2024, 3, 1) + dt.timedelta(hours=h) for h in range(100)]
    stamps = {"s": "s", "ms": "ms", "us": "us", "ns": "ns"}
    return {
        "f": numbered(column(f64, 1.0, NAN, 3.0, None, -0.0, INF, -INF)),
        "r": numbered(column(pa.float32(), 0.1, 0.2, 16777216)),
        "i": numbered(column(i32, 1, 2, None, -1)),
        "b": numbered(column(i64, 9007199254740993, 9007199254740992, 9223372036854775807)),
        "u": numbered(column(pa.uint64(), 18446744073709551615, 0, 9223372036854775808)),
        "d": numbered(column(pa.decimal128(10, 2), Decimal("1.23"), Decimal("1.24"), Decimal("-0.01"))),
        "s": numbered(column(text, "a", "B", "a ", "é", "", None, "10", "9", "a_b", "axb", "C:\\temp", "a\\xb")),
        "t": numbered(
            column(pa.timestamp("us"), *TIMES),
            z=column(pa.timestamp("us", "UTC"), *[x.replace(tzinfo=UTC) for x in TIMES]),
            d=column(pa.date32(), *[x.date() for x in TIMES]),
        ),
        "n": numbered(s=pa.array([{"x": 1, "y": {"z": 1}}, None, {"x": None, "y": None}, {"x": 2, "y": {"z": None}}], N)),
        "m": arrays(),
        "ms": arrays(stats=True),
        "l": l,
        "rr": rr,
        "c": c,
        "s2": pa.table({"id": column(i32, 1), "s": pa.array([{"id": 10}], pa.struct([("id", i32)]))}),
        "five": numbered(column(i32, 1, 2, 3, 4, 5)),
        "names": pa.table(
            {"PartyAbbrev": column(text, "D", "R"), "rank": column(i32, 1, 2), "groups": column(i32, 3, 4), "key": column(i32, 5, 6),
             "values": column(i32, 7, 8), "window": column(i32, 9, 10), "x": column(i32, 1, 2)}
        ),
        "hours": numbered(
            **{name: pa.array(hours, pa.timestamp(unit)) for name, unit in stamps.items()},
            tz=pa.array([h.replace(tzinfo=UTC) for h in hours], pa.timestamp("us", "UTC")),
        ),
        "lists": numbered(
            column(pa.list_(pa.struct([("a", i32)])), [{"a": 1}, None, {"a": 2}], [], None, [None]),
            w=column(pa.list_(i32), [None, None], [], None, [1]),
            q=column(pa.list_(f64, 4), [1, 2, 3, 4], None, [5, 6, 7, 8], [9, None, 11, 12]),
        ),
        "texts": numbered(column(text, "", "", None, ""), w=column(pa.binary(), b"", b"B", None, b"C")),
    }


def rows(table, start, stop):
    """A copy of the rows, whose arrays begin at their buffers' start: pylance refuses some sliced arrays."""
    return table.take(list(range(start, min(stop, table.num_rows))))


def write(path, table, version, per_fragment, deleted):
    options = {"data_storage_version": version, "enable_stable_row_ids": False}
    if not deleted:
        pieces = [table] if not per_fragment else [rows(table, k, k + per_fragment) for k in range(0, table.num_rows, per_fragment)]
        for n, piece in enumerate(pieces):
            lance.write_dataset(piece, path, mode="create" if n == 0 else "append", **options)
        return
    step = per_fragment or table.num_rows
    marked = table.append_column("dead", pa.array([False] * table.num_rows))
    dead = rows(table, 0, 1).append_column("dead", pa.array([True]))
    for n, k in enumerate(range(0, table.num_rows, step)):
        with_dead = [dead]
        for j in range(k, min(k + step, table.num_rows)):
            with_dead += [rows(marked, j, j + 1), dead]
        lance.write_dataset(pa.concat_tables(with_dead).combine_chunks(), path, mode="create" if n == 0 else "append", **options)
    dataset = lance.dataset(path)
    dataset.delete("dead")
    lance.dataset(path).drop_columns(["dead"])


def gaps(path, version):
    """Fragments that differ in what they hold of the variable h: with stats; h without stats; neither."""
    options = {"data_storage_version": version}
    full = arrays(stats=True)
    lance.write_dataset(full, path, **options)
    bare = full.drop_columns(["__stats__:h"]).set_column(0, "id", pa.array(range(11, 18), pa.int32()))
    lance.write_dataset(bare, path, mode="append", **options)
    lance.write_dataset(pa.table({"id": pa.array(range(21, 24), pa.int32())}), path, mode="append", **options)


def changed(folder):
    """Tables that were altered after they were written; they stand in a schema of their own."""

    def new(name, table, **options):
        uri = f"{folder}/{name}.lance"
        lance.write_dataset(table, uri, **{"data_storage_version": "2.2"} | options)
        return lambda: lance.dataset(uri)

    def append(dataset, table):
        lance.write_dataset(table, dataset().uri, mode="append")

    i32 = pa.int32()
    base = pa.table({"id": column(i32, 1, 2, 3, 4), "v": column(i32, 10, 20, None, 40)})
    numbers = pa.table({"id": pa.array(range(10000), i32), "v": pa.array([k % 7 for k in range(10000)], i32)})

    readded = new("readded", base)
    readded().drop_columns(["v"])
    readded().add_columns(pa.field("v", i32))
    append(readded, pa.table({"id": column(i32, 5), "v": column(i32, 50)}))

    new("renamed", base)().alter_columns({"path": "v", "name": "w"})
    new("widened", base)().alter_columns({"path": "v", "data_type": pa.int64()})
    append(new("reordered", base), pa.table({"v": column(i32, 50), "id": column(i32, 5)}))
    new("nothing", base.slice(0, 0))
    new("emptied", base)().delete("true")

    only_null = new("onlynull", base.select(["id"]))
    only_null().add_columns(pa.field("x", pa.string()))
    only_null().drop_columns(["id"])

    gone = new("gone", base)
    append(gone, base.set_column(0, "id", column(i32, 11, 12, 13, 14)))
    gone().delete("id < 10 OR id = 11")

    new("bitmap", numbers)().delete("v <> 3")
    stable = new("stable", numbers.slice(0, 100), enable_stable_row_ids=True)
    stable().delete("id < 10")
    stable().optimize.compact_files()
    stable().update({"v": "100"}, where="id = 50")

    spread = new("spread", base)
    spread().add_columns({"w": "v * 2"})
    spread().add_columns({"s": "named_struct('a', v, 'b', id)"})
    spread().delete("id = 2")

    grown = new("grown", pa.table({"id": column(i32, 1, 2, 3), "s": pa.array([{"a": 1}, None, {"a": 3}], pa.struct([("a", i32)]))}))
    grown().add_columns(pa.schema([pa.field("s", pa.struct([("b", i32)]))]))
    append(grown, pa.table({"id": column(i32, 4), "s": pa.array([{"a": 4, "b": 40}], pa.struct([("a", i32), ("b", i32)]))}))

    twin = pa.struct([("a", i32), ("A", i32)])
    new("twins", pa.table({"x": column(i32, 1), "X": column(i32, 2), "s": pa.array([{"a": 3, "A": 4}], twin), "only": column(i32, 5)}))
    nulls_first = pa.array([None if k % 3 == 0 and k < 1000 else k for k in range(1_500_000)], pa.int64())  # pages of 8 MiB
    new("pages", pa.table({"v": nulls_first}))
    lists = [[], list(range(50_000)), [], None, [7]]
    new("long", pa.table({"id": column(i32, 1, 2, 3, 4, 5), "v": pa.array(lists, pa.list_(i32))}))


def make(folder):
    changed(f"{folder}/changed")
    for layout, (version, per_fragment, deleted) in LAYOUTS.items():
        for name, table in tables().items():
            if version == "2.0" and name in NEED_NULL_STRUCTS:
                continue
            write(f"{folder}/{layout}/{name}.lance", table, version, per_fragment, deleted)
        if version != "2.0":
            gaps(f"{folder}/{layout}/gaps.lance", version)


if __name__ == "__main__":
    make(sys.argv[1])
