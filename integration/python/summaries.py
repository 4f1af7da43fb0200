"""Writes random tables that change over their versions.

    summaries.py DIR SEED COUNT

DIR/N.lance are the tables, N below COUNT. Each fragment has values from a small part of those there are, and rows lack
values, variables and stats in all ways. Versions append, delete, update, add and drop columns, compact and restore.
"""

import decimal
import os
import random
import sys

import lance
import pyarrow as pa

NAN, INF = float("nan"), float("inf")
VALUES = {
    "i": (pa.int32(), [-3, 0, 1, 2, 7, 12, 2**31 - 1]),
    "b": (pa.int64(), [-5, 0, 2**53, 2**53 + 1, 2**63 - 1]),
    "u": (pa.uint64(), [0, 1, 2**53 + 1, 2**64 - 1]),
    "f": (pa.float32(), [-INF, -0.0, 0.0, 0.1, 7.5, 2.0**24, INF, NAN]),
    "d": (pa.float64(), [-INF, -1.25, -0.0, 0.1, 3.0, 1e300, INF, NAN]),
    "c": (pa.decimal128(10, 2), [decimal.Decimal(x) for x in ("-1.50", "0.00", "1.23", "1.24", "700.00")]),
    "s": (pa.utf8(), ["", "10", "B", "Zz", "a", "a ", "ab", "é"]),
    "k": (pa.bool_(), [False, True]),
    "t": (pa.timestamp("us"), [-1, 0, 1_700_000_000_000_000, 1_700_000_000_000_001]),
    "y": (pa.date32(), [-1, 0, 19_000, 19_001]),
}


def column(rnd, kind, n):
    typ, values = VALUES[kind]
    first = rnd.randrange(len(values))
    some = values[first:first + rnd.choice([1, 1, 2, 3])]
    nulls = rnd.choice([0, 0, 0.3, 1])
    return pa.array([None if rnd.random() < nulls else rnd.choice(some) for _ in range(n)], typ)


def nested(rnd, n):
    parts = [column(rnd, "i", n), column(rnd, "s", n)]
    mask = pa.array([rnd.random() < 0.2 for _ in range(n)]) if rnd.random() < 0.5 else None
    return pa.StructArray.from_arrays(parts, fields=[pa.field("x", pa.int32()), pa.field("w", pa.utf8())], mask=mask)


def variable(rnd, n):
    """A variable and its stats: mostly right, some of them missing or wrong."""
    base = rnd.choice([-90.0, -10.0, 0.0, 10.0, 50.0])
    values, stats = [], []
    for _ in range(n):
        state = rnd.choice(["right"] * 12 + ["lacks"] * 2 + rnd.choice([[], [], ["nan", "half", "wrong"]]))
        row = [base + rnd.randrange(6) for _ in range(rnd.randrange(1, 4))]
        lo, hi = min(row), max(row)
        if state == "nan":
            row = [NAN]
        values.append(None if state == "lacks" else row)
        stats.append({"lacks": None, "nan": {"min": None, "max": None}, "half": {"min": lo, "max": None}, "wrong": {"min": hi + 1, "max": lo}}
                     .get(state, {"min": lo, "max": hi}))
    t = pa.struct([("values", pa.list_(pa.float64())), ("dim_names", pa.list_(pa.utf8())), ("dim_sizes", pa.list_(pa.uint32()))])
    column = pa.array([v and {"values": v, "dim_names": ["x"], "dim_sizes": [len(v)]} for v in values], t)
    return column, pa.array(stats, pa.struct([("min", pa.float64()), ("max", pa.float64())]))


class Table:
    def __init__(self, rnd, uri):
        self.rnd, self.uri, self.next = rnd, uri, 0
        self.kinds = rnd.sample(sorted(VALUES), rnd.randrange(2, 6))
        self.nested, self.variable = rnd.random() < 0.5, rnd.random() < 0.8
        # Files of 2.0 hold no null structs.
        version = rnd.choice(["2.1", "2.2"] if self.nested or self.variable else ["2.0", "2.1", "2.2"])
        lance.write_dataset(self.rows(full=True), uri, data_storage_version=version, max_rows_per_file=rnd.choice([3, 8, 100]),
                            enable_stable_row_ids=rnd.random() < 0.3)

    def rows(self, full=False):
        rnd = self.rnd
        n = rnd.randrange(1, 12)
        cols, fields = [pa.array(range(self.next, self.next + n), pa.int64())], [pa.field("id", pa.int64())]
        self.next += n + rnd.randrange(3)
        def put(name, column, metadata=None):
            if full or rnd.random() < 0.9:
                cols.append(column), fields.append(pa.field(name, column.type, metadata=metadata))
        for kind in self.kinds:
            put(kind, column(rnd, kind, n))
        if self.nested:
            put("n", nested(rnd, n))
        if self.variable:
            values, stats = variable(rnd, n)
            put("lat", values, {"ARROW:extension:name": "nd_arrow.array"})
            if fields[-1].name == "lat":
                put("__stats__:lat", stats)
        return pa.Table.from_arrays(cols, schema=pa.schema(fields))

    def change(self):
        rnd, ds = self.rnd, lance.dataset(self.uri)
        names = [f.name for f in ds.schema]
        some = f"id % {rnd.randrange(2, 6)} = {rnd.randrange(2)} AND id >= {rnd.randrange(max(self.next, 1))}"
        what = rnd.choice(["append", "append", "append", "delete", "update", "add", "drop", "compact", "restore"])
        if what == "append":
            rows = self.rows()
            rows = rows.select([n for n in rows.column_names if n in names])
            lance.write_dataset(rows, self.uri, mode="append", max_rows_per_file=rnd.choice([4, 100]))
        elif what == "delete":
            ds.delete(some)
        elif what == "update" and "i" in names:
            ds.update({"i": rnd.choice(["-3", "7", "i + 0", "NULL"])}, where=some)
        elif what == "add" and "extra" not in names:
            ds.add_columns({"extra": f"id + {rnd.randrange(5)}"})
        elif what == "drop" and len(names) > 3:
            ds.drop_columns([rnd.choice([n for n in names if n not in ("id", "lat")])])
        elif what == "compact":
            ds.optimize.compact_files(target_rows_per_fragment=rnd.choice([10, 30]))
        elif what == "restore" and ds.version > 2:
            lance.dataset(self.uri, version=rnd.randrange(1, ds.version)).restore()


def main(folder, seed, count):
    for k in range(count):
        rnd = random.Random(seed * 1_000_003 + k)
        table = Table(rnd, os.path.join(folder, f"{k}.lance"))
        for _ in range(rnd.randrange(2, 9)):
            table.change()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
