"""Writes tables with scalar indices through histories made at random, and which rows filters keep by pylance without them.

    python indices.py --seed N --tables N --out DIR

DIR/N.lance are the tables, DIR/want.json lists versions of them, each with filters in Lance's SQL and the ids of their rows.
"""

import argparse
import datetime
import decimal
import json
import random
import re
import string

import lance
import pyarrow as pa
from lance.indices import IndexConfig

KINDS = ["BTREE", "BITMAP", "ZONEMAP"]
NAN, INF = float("nan"), float("inf")


class Column:
    """A column: its type, values made at random, and how Lance's SQL writes one."""

    def __init__(self, typ, make, sql):
        self.typ, self.make, self.sql = typ, make, sql


def quoted(s):
    return "'" + s.replace("'", "''") + "'"


def text(r):
    return "".join(r.choice("abcé😀~") for _ in range(r.choice([0, 1, 2, 3, 6])))


def double(r):
    return r.choice([NAN, -0.0, 0.0, INF, -INF, 1.5, -2.25, 1e300, r.uniform(-9, 9), float(r.randint(-50, 50))])


def single(r):
    return r.choice([NAN, -0.0, 0.0, INF, 1.5, -2.25, float(r.randint(-50, 50))])


def number(v):
    return repr(v) if abs(v) < 1e15 else f"{v:e}"


def columns():
    day = datetime.date(1970, 1, 1)
    return {
        "i8": Column(pa.int8(), lambda r: r.randint(-128, 127), str),
        "few": Column(pa.int32(), lambda r: r.randint(-3, 3), str),
        "i64": Column(pa.int64(), lambda r: r.randint(-(10**12), 10**12) if r.random() < 0.3 else r.randint(0, 400), str),
        "u64": Column(pa.uint64(), lambda r: r.choice([0, 1, 2**63, 2**64 - 1, r.randint(0, 300)]), str),
        "f32": Column(pa.float32(), single, number),
        "f64": Column(pa.float64(), double, number),
        "text": Column(pa.string(), text, quoted),
        "large": Column(pa.large_string(), lambda r: "k%03d" % r.randint(0, 200), quoted),
        "flag": Column(pa.bool_(), lambda r: r.random() < 0.5, str),
        "day": Column(pa.date32(), lambda r: day + datetime.timedelta(days=r.randint(-300, 300)), lambda v: f"date '{v}'"),
        "ts": Column(
            pa.timestamp("us"), lambda r: datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=r.randint(-900, 900)),
            lambda v: f"timestamp '{v}'",
        ),
        "dec": Column(pa.decimal128(10, 2), lambda r: decimal.Decimal(r.randint(-500, 500)) / 100,
                      lambda v: str(int(v))),  # pylance compares with fractions as floats
    }


def values(col, r, n, nulls):
    return [None if r.random() < nulls else col.make(r) for _ in range(n)]


class Table:
    def __init__(self, uri, r):
        self.uri, self.r = uri, r
        every = columns()
        names = r.sample(sorted(every), r.randint(2, 5))
        self.cols = {n: every[n] for n in names}
        self.nulls = {n: r.choice([0, 0, 0.1, 0.6, 1]) for n in names}
        self.nested, self.next, version = r.random() < 0.3, 0, r.choice(["2.0", "2.1", "2.2"])
        self.null_structs = version != "2.0"  # which has no room for their validity
        self.log = []
        lance.write_dataset(
            self.rows(r.choice([40, 700, 5000])), uri, max_rows_per_file=r.choice([50, 1000, 10**6]),
            enable_stable_row_ids=r.random() < 0.4, data_storage_version=version,
        )

    def ds(self):
        return lance.dataset(self.uri)

    def rows(self, n, only=None):
        arrays = {"id": pa.array(range(self.next, self.next + n), pa.int64())}
        self.next += n
        for name, c in self.cols.items():
            if only is None or name in only:
                arrays[name] = pa.array(values(c, self.r, n, self.nulls[name]), c.typ)
        if self.nested and only is None:
            x = values(columns()["few"], self.r, n, 0.2)
            arrays["s"] = pa.array([None if self.null_structs and self.r.random() < 0.2 else {"x": v} for v in x], pa.struct([("x", pa.int32())]))
        return pa.table(arrays)

    def literal(self, name):
        c = self.cols[name]
        while True:
            v = c.make(self.r)
            if not isinstance(v, float) or v == v and abs(v) != INF:
                return c.sql(v)

    def test(self, name, depth):
        r, q = self.r, name
        if name == "s.x":
            return r.choice([f"s.x = {r.randint(-3, 3)}", f"s.x > {r.randint(-3, 3)}", "s.x IS NULL", "s.x IS NOT NULL"])
        kinds = ["cmp", "cmp", "cmp", "in", "between", "null", "notnull"]
        if name in ("text", "large"):
            kinds.append("like")
        if name == "flag":
            return r.choice([q, f"NOT {q}", f"{q} IS NULL", f"{q} = true", f"{q} IS TRUE", f"{q} IS NOT TRUE", f"{q} IN (true)"])
        kind = r.choice(kinds)
        if kind == "cmp":
            op, lit = r.choice(["=", "=", "<", "<=", ">", ">=", "<>"]), self.literal(name)
            if r.random() < 0.2 and name in ("i8", "few", "i64"):
                lit = r.choice(["1.5", "2.0", "-0.5", "3000000000", "99999999999999999999"])
            return f"{q} {op} {lit}" if r.random() < 0.8 else f"{lit} {op} {q}"
        if kind == "in":
            return f"{q} {r.choice(['', 'NOT ']) if depth == 0 else ''}IN ({', '.join(self.literal(name) for _ in range(r.choice([1, 2, 5, 20])))})"
        if kind == "between":
            return f"{q} BETWEEN {self.literal(name)} AND {self.literal(name)}"
        if kind == "like":
            prefix = r.choice(["a", "ab", "k0", "k19", "é", "", "😀"])
            return f"{q} LIKE '{prefix}{r.choice(['%', '_', '', '%a'])}'"
        return f"{q} IS {'NOT ' if kind == 'notnull' else ''}NULL"

    def filter(self, depth=0):
        r = self.r
        if depth < 3 and r.random() < 0.45:
            op = r.choice([" AND ", " AND ", " OR "])
            return "(" + op.join(self.filter(depth + 1) for _ in range(r.randint(2, 3))) + ")"
        if depth < 3 and r.random() < 0.1:
            return f"NOT ({self.filter(depth + 1)})"
        names = list(self.cols) + (["s.x"] if self.nested else []) + (["id"] if r.random() < 0.2 else [])
        name = r.choice(names)
        if name == "id":
            return f"id {r.choice(['=', '<', '>='])} {r.randint(0, self.next)}"
        return self.test(name, depth)

    def step(self):
        r = self.r
        what = r.choice(["index", "index", "index", "append", "append", "delete", "update", "merge", "compact", "optimize",
                         "rename", "readd", "cast", "restore", "defer"])
        name = r.choice(list(self.cols))
        self.log.append(f"{what} {name}")
        ds = self.ds()
        if what == "index":
            kind, column = r.choice(KINDS), "s.x" if self.nested and r.random() < 0.3 else name
            size = r.choice([7, 64, 1000])
            if kind == "BITMAP":
                ds.create_scalar_index(column, kind, replace=True, train=r.random() < 0.9)
            else:
                key = "zone_size" if kind == "BTREE" else "rows_per_zone"
                ds.create_scalar_index(column, IndexConfig(index_type=kind.lower(), parameters={key: size}), replace=True)
            self.log[-1] += f" {kind} {column} {size}"
        elif what == "append":
            ds.insert(self.rows(r.choice([1, 30, 900])), max_rows_per_file=r.choice([20, 10**6]))
        elif what == "delete":
            ds.delete(f"id % {r.randint(2, 9)} = 0" if r.random() < 0.4 else f"id >= {r.randint(0, self.next)} AND id < {r.randint(0, self.next)}")
        elif what == "update":
            ds.update({name: self.literal(name)}, where=f"id % {r.randint(2, 40)} = 1")
        elif what == "merge":
            first = self.next
            rows = self.rows(r.randint(1, 60), only=[name])
            self.next = first
            low = r.randint(0, max(first - 60, 0))
            ids = pa.array(range(low, low + rows.num_rows), pa.int64())
            rows = rows.set_column(0, "id", ids).filter(pa.compute.less(ids, first))
            if rows.num_rows:
                ds.merge_insert("id").when_matched_update_all().execute(rows)
        elif what == "compact":
            ds.optimize.compact_files(target_rows_per_fragment=r.choice([100, 2000, 10**6]), materialize_deletions_threshold=r.choice([0.0, 0.1, 0.9]))
        elif what == "defer":
            ds.optimize.compact_files(target_rows_per_fragment=r.choice([100, 10**6]), defer_index_remap=True)
        elif what == "optimize":
            ds.optimize.optimize_indices(**r.choice([{}, {"num_indices_to_merge": 0}, {"num_indices_to_merge": 2}]))
        elif what == "rename" and r.random() < 0.5:
            new = name + "_"
            ds.alter_columns({"path": name, "name": new})
            self.cols[new], self.nulls[new] = self.cols.pop(name), self.nulls.pop(name)
        elif what == "readd":
            ds.drop_columns([name])
            self.ds().add_columns({name: f"cast({self.literal(name)} as {sql_type(self.cols[name].typ)})"})
            wanted = self.cols[name].typ
            if self.ds().schema.field(name).type != wanted:
                self.ds().alter_columns({"path": name, "data_type": wanted})
        elif what == "cast" and name.startswith(("i8", "few")):
            ds.alter_columns({"path": name, "data_type": pa.int64()})
            self.cols[name].typ = pa.int64()
        elif what == "restore" and r.random() < 0.5 and not any(x.startswith(("rename", "readd", "cast")) for x in self.log):
            versions = [v["version"] for v in ds.versions()]
            old = lance.dataset(self.uri, version=r.choice(versions[-4:]))
            old.restore()


def sql_type(t):
    names = {pa.int8(): "tinyint", pa.int32(): "int", pa.int64(): "bigint", pa.uint64(): "bigint unsigned", pa.float32(): "float",
             pa.float64(): "double", pa.string(): "string", pa.large_string(): "string", pa.bool_(): "boolean", pa.date32(): "date",
             pa.timestamp("us"): "timestamp", pa.decimal128(10, 2): "decimal(10,2)"}
    return names[t]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--tables", type=int, default=10)
    p.add_argument("--out", required=True)
    p.add_argument("--rows", type=int, default=0, help="write just the table large.lance of so many rows")
    args = p.parse_args()
    if args.rows:
        large(f"{args.out}/large.lance", args.rows)
        return
    out = []
    for i in range(args.tables):
        r = random.Random(args.seed * 100003 + i)
        uri = f"{args.out}/{i}.lance"
        t = Table(uri, r)
        for _ in range(r.randint(3, 12)):
            try:
                t.step()
            except (OSError, ValueError, RuntimeError, NotImplementedError) as e:
                t.log.append("failed: " + str(e)[:150])
            if r.random() < 0.4:
                out.append(check(t, i))
        out.append(check(t, i))
    with open(f"{args.out}/want.json", "w") as f:
        json.dump(out, f)


def large(uri, rows):
    """A table of which few rows pass a filter."""
    r = random.Random(7)
    ids = list(range(rows))
    r.shuffle(ids)
    table = pa.table({"id": pa.array(ids, pa.int64()), "key": pa.array([f"user-{i:08d}" for i in ids]), "at": pa.array(range(rows), pa.int64())})
    ds = lance.write_dataset(table, uri, max_rows_per_file=rows // 4)
    ds.create_scalar_index("id", "BTREE")
    ds.create_scalar_index("key", "BTREE")
    ds.create_scalar_index("at", "ZONEMAP")


def check(t, i):
    ds = t.ds()
    tests = []
    for _ in range(25):
        f = t.filter()
        # Of two lists of one column DataFusion makes one, or true or false where nothing is left, also where the column
        # is null.
        lists = re.findall(r"([\w.]+) (?:NOT )?IN \(", f)
        if len(lists) > len(set(lists)):
            continue
        try:
            kept = ds.to_table(columns=["id"], filter=f, use_scalar_index=False)["id"].to_pylist()
        except (OSError, ValueError, RuntimeError):
            continue
        tests.append({"filter": f, "ids": kept})
    return {"table": f"{i}.lance", "version": ds.version, "log": list(t.log), "tests": tests}


if __name__ == "__main__":
    main()
