"""Cells of random tables against xarray's to_dataframe of each row, conditions and aggregates against plain Python and pandas.

    cells.py write DIR SEED COUNT     writes the tables N.lance, N below COUNT
    cells.py check --server HOST:PORT --data DIR

The check reads the tables with pylance and makes an xarray dataset of each row; it knows nothing of stats columns.
"""

import datetime
import glob
import math
import os
import random
import sys

import lance
import numpy
import pandas
import pyarrow as pa
import pyarrow.flight as flight
import xarray

from checks import Checks, Flight, arguments, equal

DIMS = ["time", "lat", "x", "Obs"]
TYPES = {
    "f8": (pa.float64(), [-90.0, -1.5, 0.0, 2.5, 30.0, math.inf, math.nan, None]),
    "f4": (pa.float32(), [-2.0, 0.5, 7.0, math.nan, None]),
    "i4": (pa.int32(), [-3, 0, 1, 12, None]),
    "i8": (pa.int64(), [-5, 0, 2**53, 2**53 + 1, None]),
    "text": (pa.utf8(), ["", "a", "B", "é", None]),
    "when": (pa.timestamp("us"), [datetime.datetime(2024, 1, 1), datetime.datetime(1969, 12, 31, 23), None]),
}
NAMED = {"ARROW:extension:name": "nd_arrow.array"}


def counts(v):
    return v is not None and v == v


def variable(elem):
    return pa.struct([("values", pa.list_(elem)), ("dim_names", pa.list_(pa.utf8())), ("dim_sizes", pa.list_(pa.uint32()))])


class Writer:
    """A random table: rows differ in their dimensions, sizes, and in which variables they hold."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.coords = [d for d in DIMS if rnd.random() < 0.6]
        kinds = list(TYPES)
        self.vars = {d: rnd.choice(kinds) for d in self.coords}
        for i in range(rnd.randrange(1, 5)):
            self.vars[f"v{i}"] = rnd.choice(kinds)
        names = list(self.vars)
        rnd.shuffle(names)
        self.vars = {n: self.vars[n] for n in names}
        self.loose = rnd.random() < 0.3  # a coordinate may stand without its dimension
        self.stats = {n for n in names if rnd.random() < 0.7}

    def row(self, i):
        rnd = self.rnd
        sizes = {d: rnd.choice([1, 2, 3, 4, 4] + [0] * (rnd.random() < 0.1)) for d in DIMS}
        dims = {n: tuple(rnd.sample(DIMS, rnd.choice([0, 1, 1, 2, 3]))) for n in self.vars if n not in DIMS and rnd.random() < 0.8}
        used = {d for ds in dims.values() for d in ds}
        for d in self.coords:
            if rnd.random() < 0.8:
                dims[d] = (d,) if not self.loose or d in used or rnd.random() < 0.5 else ()
        if rnd.random() < 0.05:
            dims = {}
        out = {"id": i, "site": rnd.choice(["a", "b", None])}
        for n, kind in self.vars.items():
            if n not in dims:
                out[n] = None
                continue
            count = math.prod(sizes[d] for d in dims[n])
            values = rnd.sample(TYPES[kind][1], rnd.randrange(1, 4))
            out[n] = {"values": [rnd.choice(values) for _ in range(count)], "dim_names": list(dims[n]), "dim_sizes": [sizes[d] for d in dims[n]]}
        return out

    def table(self):
        rows = [self.row(i) for i in range(self.rnd.randrange(1, 40))]
        fields = [pa.field("id", pa.int64()), pa.field("site", pa.utf8())]
        columns = [[r["id"] for r in rows], [r["site"] for r in rows]]
        for n, kind in self.vars.items():
            elem = TYPES[kind][0]
            fields.append(pa.field(n, variable(elem), metadata=NAMED))
            columns.append([r[n] for r in rows])
            if n in self.stats:
                fields.append(pa.field("__stats__:" + n, pa.struct([("min", elem), ("max", elem)])))
                columns.append([self.bounds(r[n]) for r in rows])
        return pa.table([pa.array(c, f.type) for c, f in zip(columns, fields)], schema=pa.schema(fields))

    @staticmethod
    def bounds(v):
        if v is None:
            return None
        counting = [x for x in v["values"] if counts(x)]
        if not counting:
            return {"min": None, "max": None}
        key = (lambda x: x.encode()) if isinstance(counting[0], str) else None
        return {"min": min(counting, key=key), "max": max(counting, key=key)}


def write(folder, seed, count):
    for k in range(count):
        rnd = random.Random(f"{seed} {k}")
        lance.write_dataset(Writer(rnd).table(), os.path.join(folder, f"{k}.lance"), max_rows_per_file=rnd.choice([3, 10, 100]),
                            data_storage_version=rnd.choice(["2.1", "2.2"]))


class Expected:
    """What the cells of some variables of a table are: rows as dictionaries of all columns, those by name only included."""

    def __init__(self, table, chosen=None):
        self.vars = [f.name for f in table.schema if pa.types.is_struct(f.type) and not f.name.startswith("__") and (not chosen or f.name in chosen)]
        rows = table.to_pylist()
        self.dims, own, other = [], set(), set()
        for r in rows:
            for n in self.vars:
                for d in (r[n] or {"dim_names": []})["dim_names"]:
                    if d not in self.dims:
                        self.dims.append(d)
                if r[n] is not None:
                    (own if r[n]["dim_names"] == [n] else other).add(n)
        self.coords = [d for d in self.dims if d in own and d not in other]
        self.visible = ["id", "site"] + [d if d in self.coords else d + "_index" for d in self.dims]
        self.visible += [n for n in self.vars if n not in self.coords]
        self.columns = self.visible + [d + "_index" for d in self.coords]
        self.rows = [c for r in rows for c in self.cells(r)]

    def cells(self, row):
        held = [n for n in self.vars if row[n] is not None]
        if not held:
            return []
        parts, order = {}, []
        for n in held:
            a = numpy.empty(len(row[n]["values"]), object)
            a[:] = [v if counts(v) else None for v in row[n]["values"]]
            # Under another name, so that a coordinate of nulls or of values that repeat does not become an index.
            parts["= " + n] = (row[n]["dim_names"], a.reshape(row[n]["dim_sizes"]))
            order += [d for d in row[n]["dim_names"] if d not in order]
        dataset = xarray.Dataset(parts)
        sizes = dict(dataset.sizes)
        for d in order:
            dataset["# " + d] = (d, numpy.arange(sizes[d]).astype(object))
        if order:
            frame = dataset.to_dataframe()
        else:
            frame = pandas.DataFrame([{k: v.item() for k, v in dataset.items()}], dtype=object)
        out = []
        for cell in frame.to_dict("records"):
            full = dict.fromkeys(self.columns)
            full.update(id=row["id"], site=row["site"])
            for key, value in cell.items():
                name = key[2:] if key[0] == "=" else key[2:] + "_index"
                value = value.to_pydatetime() if isinstance(value, pandas.Timestamp) else value
                full[name] = value if counts(value) else None
            out.append(full)
        return out


def quoted(name):
    return '"' + name + '"'


def literal(v):
    if isinstance(v, str):
        return "'" + v + "'"
    if isinstance(v, datetime.datetime):
        return f"TIMESTAMP '{v}'"
    return repr(v)


class Conditions:
    """Random conditions as SQL and as functions of a cell that give True, False or None."""

    def __init__(self, rnd, columns, values):
        self.rnd, self.columns, self.values = rnd, columns, values

    def any(self, depth=2):
        kind = self.rnd.choice(["part", "part", "and", "or", "not"]) if depth else "part"
        if kind == "part":
            return self.part()
        sql, test = self.any(depth - 1)
        if kind == "not":
            return f"NOT ({sql})", lambda c: None if test(c) is None else not test(c)
        sql2, test2 = self.any(depth - 1)
        if kind == "and":
            return f"({sql}) AND ({sql2})", lambda c: all3(test(c), test2(c))
        return f"({sql}) OR ({sql2})", lambda c: any3(test(c), test2(c))

    def part(self):
        name = self.rnd.choice(self.columns)
        col = quoted(name)
        known = [v for v in self.values[name] if v is not None and not (isinstance(v, float) and math.isinf(v))]
        if not known or self.rnd.random() < 0.15:
            return f"{col} IS NULL", lambda c: c[name] is None
        a, b = self.rnd.choice(known), self.rnd.choice(known)
        order = (lambda x: x.encode()) if isinstance(a, str) else (lambda x: x)
        if isinstance(a, (int, float)) and abs(a) < 1e6 and self.rnd.random() < 0.3:
            a, b = a + 0.5, b + 0.25
        x, y = literal(a), literal(b)
        op, test = self.rnd.choice([
            (f"{col} = {x}", lambda v: v == a), (f"{col} <> {x}", lambda v: v != a), (f"{col} > {x}", lambda v: order(v) > order(a)),
            (f"{x} > {col}", lambda v: order(v) < order(a)), (f"{col} <= {x}", lambda v: order(v) <= order(a)),
            (f"{col} >= {x}", lambda v: order(v) >= order(a)), (f"{col} IN ({x}, {y})", lambda v: v in (a, b)),
            (f"{col} BETWEEN {x} AND {y}", lambda v: order(a) <= order(v) <= order(b)),
        ])
        return op, lambda c: None if c[name] is None else test(c[name])


def all3(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def any3(a, b):
    return True if a is True or b is True else None if a is None or b is None else False


def sortable(rows):
    return sorted([tuple((v is not None, str(type(v)), v if v is not None else 0) for v in r) for r in rows])


def lines(table):
    return list(zip(*(c.to_pylist() for c in table.columns))) if table.num_columns else [()] * table.num_rows


def parts(server, name):
    """The rows of a table that is read in up to three endpoints, one after the other."""
    options = flight.FlightCallOptions(headers=[(b"x-flightsrv-partitions", b"3")])
    info = server.client.get_flight_info(flight.FlightDescriptor.for_path(name), options)
    return [r for e in info.endpoints for r in lines(server.client.do_get(e.ticket, options).read_all())]


def checked(folder):
    return [(os.path.basename(p)[:-6], lance.dataset(p).to_table()) for p in sorted(glob.glob(folder + "/*.lance"))]


checks = Checks()


@checks.check("whole tables, in order")
def whole(server, tables):
    for name, table in tables:
        want = Expected(table)
        got = server.sql(f'SELECT * FROM "{name}$cells"')
        equal(got.column_names, want.visible)
        rows = [tuple(c[n] for n in want.visible) for c in want.rows]
        equal((name, lines(got)), (name, rows))
        by_path = server.read(flight.FlightDescriptor.for_path(name + "$cells"))
        equal((name, lines(by_path)), (name, rows))
        equal((name, parts(server, name + "$cells")), (name, rows))
        equal(server.value(f"""SELECT count(*) FROM cells('{quoted(name)}')"""), len(rows))
        for n in want.vars:
            equal(got.schema.field(n).type, table.schema.field(n).type.field("values").type.value_type)


@checks.check("some variables, and columns by name only")
def some(server, tables):
    rnd = random.Random(1)
    for name, table in tables:
        names = Expected(table).vars
        chosen = rnd.sample(names, rnd.randrange(1, len(names) + 1))
        want = Expected(table, chosen)
        listed = ", ".join(map(quoted, chosen)) if rnd.random() < 0.5 else None
        arg = f"'{listed}'" if listed else "[" + ", ".join(f"'{n}'" for n in chosen) + "]"
        columns = rnd.sample(want.columns, rnd.randrange(1, len(want.columns) + 1))
        got = server.sql(f"""SELECT {", ".join(map(quoted, columns))} FROM cells('{quoted(name)}', {arg})""")
        equal((name, columns, lines(got)), (name, columns, [tuple(c[n] for n in columns) for c in want.rows]))


@checks.check("conditions")
def conditions(server, tables):
    rnd = random.Random(2)
    passed = 0
    for name, table in tables:
        want = Expected(table)
        values = {n: sorted({c[n] for c in want.rows if c[n] is not None}, key=str) for n in want.columns}
        random_conditions = Conditions(rnd, want.columns, values)
        for _ in range(12):
            sql, test = random_conditions.any()
            columns = rnd.sample(want.columns, rnd.randrange(1, len(want.columns) + 1))
            rows = [tuple(c[n] for n in columns) for c in want.rows if test(c)]
            text = f'SELECT {", ".join(map(quoted, columns))} FROM "{name}$cells" WHERE {sql}'
            got = lines(server.sql(text))
            assert sortable(got) == sortable(rows), f"{text}: {len(got)} rows, want {len(rows)}"
            limit, offset = rnd.randrange(5), rnd.randrange(5)
            got = lines(server.sql(f"{text} LIMIT {limit} OFFSET {offset}"))
            equal((text, got), (text, rows[offset:offset + limit]))
            passed += len(rows)
    assert passed > 1000, f"{passed} cells passed some condition: the check shows little"


@checks.check("aggregates by coordinate, as pandas has them")
def aggregates(server, tables):
    for name, table in tables:
        want = Expected(table)
        if not want.rows:
            continue
        frame = pandas.DataFrame(want.rows, columns=want.columns, dtype=object)
        for n in want.vars:
            for by in [c for c in want.columns if c not in want.vars or c in want.coords][:4]:
                if by == n:
                    continue
                text = f'SELECT {quoted(by)}, count(*), count({quoted(n)}), min({quoted(n)}), max({quoted(n)}) FROM "{name}$cells" GROUP BY 1'
                rows = []
                for _, at in frame.groupby([repr(c[by]) for c in want.rows]).indices.items():
                    held = [want.rows[i][n] for i in at if want.rows[i][n] is not None]
                    order = (lambda x: x.encode()) if held and isinstance(held[0], str) else None
                    rows.append((want.rows[at[0]][by], len(at), len(held), min(held, key=order, default=None), max(held, key=order, default=None)))
                got = lines(server.sql(text))
                assert sortable(got) == sortable(rows), f"{text}: {got}, want {rows}"


@checks.check("joins, windows, CTEs and subqueries")
def joins(server, tables):
    for name, table in tables:
        want = Expected(table)
        per_row = {}
        for c in want.rows:
            per_row[c["id"]] = per_row.get(c["id"], 0) + 1
        t, cells = quoted(name), quoted(name + "$cells")
        got = server.sql(f"SELECT t.id, count(c.id) FROM {t} t LEFT JOIN {cells} c ON t.id = c.id GROUP BY t.id")
        equal(dict(lines(got)), {i: per_row.get(i, 0) for i in table["id"].to_pylist()})
        equal(server.value(f"WITH a AS (SELECT * FROM {cells}), b AS (SELECT id FROM a UNION ALL SELECT id FROM a) SELECT count(*) FROM b"), 2 * len(want.rows))
        got = server.sql(f"SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY id) AS n FROM {cells}) x QUALIFY n = max(n) OVER (PARTITION BY id)")
        equal(dict(lines(got)), per_row)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.argv.pop(1)
        args = arguments()
        checks.run(Flight(args.server), checked(args.data))
