"""Relational forms that DuckDB has beside the standard: answers, types and names of columns are DuckDB's over the same data.

python forms.py make DIR                 writes DIR/*.lance
python forms.py run DIR HOST:PORT        asks the server that serves DIR, and DuckDB
"""

import collections
import itertools
import pathlib
import random
import sys

import adbc_driver_flightsql.dbapi as flightsql
import duckdb
import lance
import pyarrow as pa
import pyarrow.flight as flight

from chains import Chains
from checks import Checks
from statements import rows, type_name

SEED = 7
SCHEMA = pa.schema({"id": pa.int64(), "k": pa.int32(), "v": pa.float64(), "name": pa.string(), "day": pa.date32(),
                    "s": pa.struct({"a": pa.int32(), "b": pa.string()})})


def tables():
    """l and r hold nulls and duplicates, big is long enough for many batches, none and lone are empty and one row. The ids and
    the v of r are there once each, so that the nearest row is one."""
    rng = random.Random(SEED)

    def row(i, v):
        return {"id": i, "k": rng.choice([None, 1, 1, 2, 3, 7]), "v": v, "name": rng.choice([None, "a", "b", "b", "C"]),
                "day": None if i % 5 == 0 else 18000 + i % 9, "s": rng.choice([None, {"a": 1, "b": None}, {"a": rng.randrange(3), "b": "x"}])}

    out = {"l": [row(i, rng.choice([None, 0.5, 1.5, 2.5, 9.0])) for i in range(60)],
           "r": [row(i * 2, None if i == 3 else i * 0.75) for i in range(25)],
           "none": [], "lone": [row(4, 1.5)],
           "big": [row(i, float(i % 1000)) for i in range(30_000)]}
    tables = {name: pa.Table.from_pylist(r, SCHEMA) for name, r in out.items()}
    schema = pa.schema({"id": pa.int64(), "v": pa.list_(pa.float32(), 3), "w": pa.list_(pa.float64(), 3), "l": pa.list_(pa.float32())})
    vectors = [{"id": i, "v": None if i % 7 == 0 else [rng.random() for _ in range(3)], "w": [rng.randrange(3) for _ in range(3)], "l": [1.0, 2.0, i]} for i in range(50)]
    return tables | {"vectors": pa.Table.from_pylist(vectors, schema)}


def make(folder):
    for name, table in tables().items():
        lance.write_dataset(table, str(folder / f"{name}.lance"), max_rows_per_file=max(20, len(table) // 3), data_storage_version="2.1")


def reference():
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET disabled_optimizers = 'join_filter_pushdown'")  # takes rows away below a LIMIT, now and then
    for name, table in tables().items():
        connection.register(f"{name}_arrow", table)
        connection.execute(f"CREATE TABLE {name} AS FROM {name}_arrow")
    return connection


def ask(client, sql):
    """A statement that does not end fails."""
    options = flight.FlightCallOptions(timeout=60)
    info = client.get_flight_info(flight.FlightDescriptor.for_command(sql), options)
    return client.do_get(info.endpoints[0].ticket, options).read_all()


def differs(got, want, sql):
    """Where an answer is not DuckDB's: the columns' names, their types, the rows; their order where all of it is asked for."""
    if got.schema.names != want.schema.names:
        return f"columns {got.schema.names} instead of {want.schema.names} -- {sql}"
    if [type_name(t) for t in got.schema.types] != [type_name(t) for t in want.schema.types]:
        return f"types {got.schema.types} instead of {want.schema.types} -- {sql}"
    a, b = rows(got), rows(want)
    if (a != b) if sql.endswith("ORDER BY ALL") else collections.Counter(a) != collections.Counter(b):
        return f"{len(a)} rows {a[:3]} instead of {len(b)} rows {b[:3]} -- {sql}"
    return None


def fault(client, connection, sql):
    """What is wrong with the answer to a statement; None where it is DuckDB's. What DuckDB refuses must be refused."""
    want, reason = None, ""
    try:
        want = connection.execute(sql).to_arrow_table()
    except duckdb.Error as e:
        reason = str(e).split("\n")[0]
    try:
        got = ask(client, sql)
    except (flight.FlightError, pa.ArrowException) as e:
        return want is not None and f"refused: {str(e).split('. gRPC')[0]} -- {sql}"
    return f"DuckDB says {reason} -- {sql}" if want is None else differs(got, want, sql)


def compare(client, connection, statements):
    faults = [f for sql in statements if (f := fault(client, connection, sql))]
    assert not faults, f"{len(faults)} of {len(statements)}: " + " ### ".join(faults[:5])


def one(client, sql):
    return ask(client, sql).column(0)[0].as_py()


def compare_prepared(address, connection, statements):
    """Statements with parameters, each run with several lists of values."""
    faults = []
    with flightsql.connect(f"grpc://{address}", autocommit=True) as con, con.cursor() as cur:
        for sql, *lists in statements:
            for values in lists:
                cur.execute(sql, values)
                wrong = differs(cur.fetch_arrow_table(), connection.execute(sql, values).to_arrow_table(), f"{sql} {values}")
                if wrong:
                    faults.append(wrong)
    assert not faults, " ### ".join(faults[:5])


checks = Checks()


class Joins:
    """Random joins; the same for each seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def side(self, names, alias):
        name = self.rng.choice(names)
        return self.rng.choice([f"{name} {alias}", f"{name} {alias}", f"(SELECT * FROM {name} WHERE v > 1) {alias}",
                                f"(SELECT id, k, v, name, day, s FROM {name} WHERE name <> 'a' AND k > 1) {alias}",
                                f"(SELECT id, k + 1 AS k, v, upper(name) AS name, day, s FROM {name}) {alias}",
                                f"(SELECT DISTINCT * FROM {name}) {alias}", f"(SELECT * FROM {name} UNION ALL SELECT * FROM {name} WHERE id > 9) {alias}"])

    def matching(self):
        join = self.rng.choice(["SEMI", "ANTI"])
        on = self.rng.choice(["ON a.k = b.k", "ON a.id = b.id AND a.name = 'b'", "ON a.k = b.k AND b.name = 'a' AND b.v > 2", "ON a.v > b.v AND a.k = b.k", "ON a.v > b.v",
                              "ON a.k IS NOT DISTINCT FROM b.k", "ON a.s.a = b.s.a AND a.v < 9", "ON TRUE", "ON FALSE", "ON a.name = 'b'", "ON b.name = 'b'", "ON NULL",
                              "ON a.k = b.k OR a.v > b.v * 2", "USING (k)", "USING (id, name)", "ON CASE WHEN a.k = b.k THEN a.v > 1 END", "ON a.k IN (b.k, 3)"])
        where = self.rng.choice(["", "", " WHERE a.v > 1", " WHERE a.name IS NULL OR a.k = 1", " WHERE a.k IN (SELECT k FROM r)"])
        left, right = self.side(["l", "r", "none", "lone", "big"], "a"), self.side(["l", "r", "none", "lone"], "b")
        return self.rng.choice([
            f"SELECT * FROM {left} {join} JOIN {right} {on}{where}",
            f"SELECT a.name, a.s.b AS sb, count(*) AS n FROM {left} {join} JOIN {right} {on}{where} GROUP BY ALL",
            f"SELECT a.id, c.v FROM {left} {join} JOIN {right} {on} JOIN r c ON c.id = a.id AND a.v > 1{where}",
            f"SELECT a.id, x.k FROM r x LEFT JOIN ({left} {join} JOIN {right} {on}) ON x.id = a.id AND a.v > 1 AND x.k = 1",
            f"SELECT a.id FROM {left} {join} JOIN {right} {on} {self.rng.choice(['SEMI', 'ANTI'])} JOIN r c ON c.id = a.id AND c.v > 3{where}",
        ])

    def nearest(self):
        join = self.rng.choice(["", "", "LEFT ", "LEFT ", "INNER ", "SEMI ", "ANTI "])
        cmp = self.rng.choice(["a.v >= b.v", "a.v > b.v", "a.v < b.v", "a.v <= b.v", "b.v <= a.v", "a.v + 1 >= b.v", "a.id >= b.id", "a.id < b.id"])
        on = self.rng.choice(["", " AND b.v > 1", " AND b.id > 10"]) if join in ("", "INNER ") else ""
        where = self.rng.choice(["", "", " WHERE a.name = 'b'", " WHERE a.id > 7 AND a.k = 1"])
        items = "a.id, a.v, a.name"
        if join not in ("SEMI ", "ANTI "):
            items += ", b.id AS bid, b.v AS bv"
            where = self.rng.choice([where, " WHERE b.name = 'b'", " WHERE b.id > 7 OR b.id IS NULL"])
        left = self.rng.choice(["l a", "l a", "none a", "lone a", "big a", "(SELECT * FROM l WHERE id > 20) a"])
        right = self.rng.choice(["r b", "r b", "none b", "lone b", "(SELECT * FROM r WHERE v > 2) b", "(SELECT id, v, name FROM r WHERE name = 'b') b"])
        return f"SELECT {items} FROM {left} ASOF {join}JOIN {right} ON {cmp}{on}{where}"

    def positional(self):
        def side(alias):
            return self.rng.choice([f"l {alias}", f"r {alias}", f"none {alias}", f"lone {alias}", f"big {alias}", f"(SELECT * FROM big WHERE k = 1) {alias}",
                                    f"(SELECT id + 1 AS id, name FROM big WHERE v > 400) {alias}", f"(SELECT id, name FROM l ORDER BY v DESC, id) {alias}",
                                    f"(SELECT id, name FROM big WHERE k > 1 LIMIT 7000) {alias}", f"(SELECT name, id FROM (SELECT * FROM l ORDER BY name, id DESC) q) {alias}",
                                    f"(SELECT id, name FROM big ORDER BY id DESC LIMIT 500 OFFSET 9) {alias}",
                                    f"(SELECT id, name FROM big WHERE k = 2 UNION ALL SELECT id, name FROM big WHERE k = 1 UNION ALL SELECT id, name FROM l) {alias}"])

        where = self.rng.choice(["", "", " WHERE a.name = 'b'", " WHERE b.id > 5 AND a.id IS NOT NULL", " WHERE b.id IS NULL"])
        return f"SELECT a.id, b.id AS bid, b.name AS bn FROM {side('a')} POSITIONAL JOIN {side('b')}{where}"

    def all(self, n):
        for shape in itertools.islice(itertools.cycle([self.matching, self.matching, self.nearest, self.positional]), n):
            yield shape()


@checks.check("semi, anti, nearest and positional joins")
def _(client, connection, address):
    fixed = [
        "SELECT * FROM l NATURAL SEMI JOIN (SELECT id, k FROM r) q",
        "SELECT * FROM l NATURAL ANTI JOIN (SELECT name FROM r) q",
        "SELECT * FROM l FULL JOIN (SELECT id, v AS w FROM r) r USING (id) ANTI JOIN lone USING (id)",
        "SELECT * FROM l SEMI JOIN (r JOIN lone USING (id)) ON l.id = r.id",
        "SELECT * FROM l SEMI JOIN unnest([1, 2, NULL]) u(x) ON l.k = u.x",
        "SELECT id, v, w FROM l ASOF JOIN (SELECT id, v AS w FROM r) q USING (id)",
        "SELECT * EXCLUDE (s, day, name, k) FROM l ASOF LEFT JOIN (SELECT id, v FROM r) q USING (v, id)",
        "WITH q AS (SELECT id, k FROM r WHERE v > 3) SELECT id FROM l SEMI JOIN q USING (k) UNION ALL SELECT id FROM l ANTI JOIN q USING (k)",
        "SELECT a.id, b.id AS b, c.id AS c FROM l a POSITIONAL JOIN lone b POSITIONAL JOIN r c",
        "SELECT count(*) AS n FROM big POSITIONAL JOIN r",
        "FROM l SEMI JOIN r ON l.id = r.id SELECT id WHERE k = 1 ORDER BY ALL",
        *[f"SELECT id, (SELECT count(*) FROM r x {join} WHERE x.k = l.k) AS n FROM l" for join in
          ("SEMI JOIN lone y ON x.k = y.k", "ANTI JOIN lone y ON x.id = y.id", "ASOF JOIN r y ON x.v >= y.v + 1", "ASOF LEFT JOIN none y ON x.v >= y.v", "POSITIONAL JOIN l y")],
        *[f"SELECT l.id, q.n FROM l, LATERAL (SELECT max(x.id) AS n FROM r x {join} WHERE x.k = l.k AND x.id > l.id) q" for join in
          ("SEMI JOIN r y ON x.k = y.k AND y.name = 'b'", "ANTI JOIN lone y ON x.k = y.k", "ASOF JOIN r y ON x.v >= y.v + 1")],
        "SELECT id FROM l WHERE EXISTS (FROM r x ASOF JOIN r y ON x.v > y.v WHERE y.k = l.k AND x.id > 20)",
        "SELECT id FROM l WHERE k IN (SELECT x.k FROM r x ANTI JOIN lone y USING (k)) AND id NOT IN (SELECT id FROM r SEMI JOIN lone USING (id))",
    ]
    compare(client, connection, fixed + list(Joins(SEED).all(1200)))


@checks.check("chains of WITH")
def _(client, connection, address):
    compare(client, connection, list(Chains(SEED).all(300)))


@checks.check("blocks that group rows, in one another")
def _(client, connection, address):
    """DuckDB's own time doubles with each, unless it leaves conditions where they are."""
    shapes = [
        "SELECT id, max(k) AS k FROM (@) q GROUP BY id", "SELECT DISTINCT id, k FROM (@) q", "SELECT id, max(k) AS k FROM (@) q GROUP BY id HAVING max(k) > 0",
        "SELECT id, sum(k) OVER (PARTITION BY id) AS k FROM (@) q", "SELECT id, k FROM (@) q QUALIFY row_number() OVER (PARTITION BY id ORDER BY k) = 1",
        "SELECT DISTINCT ON (id) id, k FROM (@) q ORDER BY id, k", "SELECT id, max(k) AS k FROM (@) q GROUP BY ROLLUP (id)", "SELECT id, k FROM l WHERE k <= (SELECT max(k) FROM (@) q)",
        "SELECT q.id, max(r.k) AS k FROM (@) q LEFT JOIN r USING (id) GROUP BY 1", "SELECT id, max(k) AS k FROM l WHERE id IN (SELECT id FROM (@) q) GROUP BY id",
        "SELECT id, k FROM (@) q WHERE EXISTS (SELECT max(k) FROM (@) p HAVING max(k) > 1)", "SELECT id, k FROM (@) q INTERSECT SELECT id, k FROM l",
        "WITH w AS (@) SELECT id, max(k) AS k FROM w GROUP BY id", "SELECT id, max(k) AS k FROM (SELECT id, k FROM (@) q UNION ALL SELECT id, k FROM r) q GROUP BY id",
    ]
    rng = random.Random(SEED)

    def nest(of):
        text = "SELECT id, k FROM l"
        for shape in of:
            text = shape.replace("@", text, 1).replace("@", "SELECT id, k FROM r")
        return text

    connection.execute("SET disabled_optimizers = 'filter_pushdown,join_filter_pushdown'")
    compare(client, connection, [nest([shape] * 25) for shape in shapes] + [nest(rng.choices(shapes, k=k)) for k in (6, 9, 12, 18, 30, 60) for _ in range(8)])
    connection.execute("SET disabled_optimizers = 'join_filter_pushdown'")


@checks.check("many inner joins on one value")
def _(client, connection, address):
    def joined(n, table, on):
        return f"FROM {table} x0 " + " ".join(f"JOIN {table} x{i} ON {on.replace('#', str(i)).replace('@', str(i - 1))}" for i in range(1, n))

    compare(client, connection, [
        f"SELECT x0.id, x29.v AS v {joined(30, 'r', 'x#.id = x@.id')}", f"SELECT x0.id, x3.name AS n {joined(37, 'r', 'x#.id = x0.id AND x#.v > 1')}",
        f"SELECT count(*) AS n {joined(38, 'lone', 'x#.k = x@.id')}", f"SELECT x0.id {joined(25, 'r', 'x#.id = x@.k')}", f"SELECT x0.id {joined(26, 'lone', 'x#.v = x@.v')} JOIN l ON l.v = x3.v",
        f"SELECT x0.id, y.id AS y {joined(25, 'r', 'x#.v = x@.v')} LEFT JOIN l y ON y.v = x0.v AND y.id > 5 WHERE x9.id > 3",
        f"SELECT id FROM l WHERE EXISTS (SELECT 1 {joined(26, 'r', 'x#.id = x@.id')} WHERE x5.id = l.id)",
    ])
    for on in ("x#.id = x@.id", "x#.id = x0.id"):
        assert one(client, f"SELECT count(*) {joined(120, 'lone', on)}") == 1


@checks.check("results that are nested too deep for clients")
def _(client, connection, address):
    for levels, open_, close in ((62, "[", "]"), (62, "{'a': ", "}"), (8, "MAP {1: ", "}"), (30, "MAP {1: ", "}")):
        if levels != 30:
            assert one(client, f"SELECT {open_ * levels}1{close * levels}") is not None
        try:
            got = ask(client, f"SELECT 1, {open_ * (levels + 1)}1{close * (levels + 1)}").schema
            raise AssertionError(f"{open_}: {got}")
        except pa.ArrowNotImplementedError as e:
            assert f"column 2 of the result {'has maps' if 'MAP' in open_ else 'is'} nested more than" in str(e), e
    assert one(client, f"SELECT len({'[' * 90}1{']' * 90})") == 1


@checks.check("grouping sets in one another")
def _(client, connection, address):
    compare(client, connection, [f"SELECT k, name, s.a AS a, grouping(k, name, s.a) AS g, count(*) AS n FROM l GROUP BY {by}" for by in (
        "GROUPING SETS (ROLLUP (k, name, s.a), CUBE (name, k), ())", "GROUPING SETS (k, GROUPING SETS (name, (k, s.a)), k)", "GROUPING SETS (CUBE ((k, name), s.a))",
        "GROUPING SETS (ROLLUP ((k, name), s.a), name)", "GROUPING SETS (GROUPING SETS (ROLLUP (k)), CUBE (name)), s.a", "ROLLUP (k, name), CUBE (s.a)", "GROUPING SETS ((k, name, s.a))")])


@checks.check("what reads a subquery sees its order")
def _(client, connection, address):
    inner = ["SELECT id, k, v, name FROM l ORDER BY id DESC", "SELECT id, k, v, name FROM l WHERE id > 5 ORDER BY name DESC NULLS LAST, id", "SELECT id, k + 1 AS k, v, name FROM big ORDER BY v DESC, id LIMIT 500",
             "SELECT id, k, v, upper(name) AS name FROM r ORDER BY 4, -id", "FROM (SELECT * EXCLUDE (day, s) FROM l ORDER BY id DESC) x WHERE id <> 58",
             "WITH w AS (SELECT id, k, v, name FROM l ORDER BY id % 7, id) FROM w", "WITH w AS MATERIALIZED (SELECT id, k, v, name FROM l ORDER BY id % 7, id) FROM w",
             "SELECT id, k, v, name FROM l UNION ALL SELECT id, k, v, name FROM r ORDER BY id % 5, id, v"]
    outer = ["SELECT id FROM (@) q LIMIT 3", "SELECT id FROM (@) q LIMIT 4 OFFSET 2", "SELECT id, v FROM (@) q WHERE id % 3 = 0 LIMIT 5", "SELECT id FROM (@) q LIMIT 20%", "WITH q AS (@) SELECT * FROM q LIMIT 2",
             "WITH q AS MATERIALIZED (@) SELECT id FROM q LIMIT 2", "SELECT first(id) AS a, last(id) AS b, list(k) AS c, string_agg(name, ',') AS d, arg_max(id, k) AS e FROM (@) q",
             "SELECT name, list(id) AS a, first(v) AS b, any_value(k) AS c FROM (@) q GROUP BY name", "SELECT id, row_number() OVER () AS n, lag(id) OVER () AS p FROM (@) q", "SELECT ARRAY(SELECT id FROM (@) q) AS a",
             "SELECT id FROM (SELECT * FROM (@) p WHERE k > 0) q LIMIT 3", "SELECT lone.id, (SELECT id FROM (@) q LIMIT 1) AS b FROM lone", "SELECT id FROM r WHERE id IN (SELECT id FROM (@) q LIMIT 4)",
             "SELECT json_group_array(id) AS a FROM (SELECT id FROM (@) q WHERE v > 0.7) p",
             "SELECT count(*) AS n, max(v) AS v FROM (@) q", "SELECT k, sum(id) AS s FROM (@) q GROUP BY k", "SELECT id FROM (@) q ORDER BY k NULLS FIRST, id LIMIT 3", "SELECT id FROM (SELECT id FROM (@) q ORDER BY v, id) p LIMIT 3"]
    compare(client, connection, [o.replace("@", i) for i in inner for o in outer] + ["SELECT list(x) AS a FROM (FROM (VALUES (3), (1), (2)) v(x) ORDER BY x) q"])


@checks.check("subqueries as keys of groups")
def _(client, connection, address):
    keys = ["id IN (SELECT id FROM r)", "CASE WHEN EXISTS (SELECT 1 FROM r x WHERE x.id = l.id AND x.v > 3) THEN 1 ELSE 0 END", "(SELECT max(x.k) FROM r x WHERE x.id = l.id)", "k > ANY (SELECT k FROM lone)"]
    compare(client, connection, [s.replace("@", k) for k in keys for s in (
        "SELECT @ AS x, count(*) AS n FROM l GROUP BY @", "SELECT k, @ AS x, count(*) AS n FROM l GROUP BY k, @ HAVING count(*) > 1", "SELECT @ AS x, sum(v) AS s FROM l GROUP BY ROLLUP (@)",
        "SELECT count(*) AS n, @ AS x FROM l GROUP BY 2", "SELECT @ AS x, count(*) AS n FROM l GROUP BY x ORDER BY ALL")])


@checks.check("parameters in joins")
def _(client, connection, address):
    compare_prepared(address, connection, [
        ("SELECT id FROM l SEMI JOIN r ON l.k = r.k AND r.name = ? AND l.v > ?", ["a", 1.0], ["b", 0.0], [None, 1.0]),
        ("SELECT id FROM l ANTI JOIN r ON l.k = r.k AND r.name = ? AND l.v > ? WHERE l.id < ?", ["a", 1.0, 30], ["b", 0.0, 9]),
        ("SELECT l.id, r.id AS rid FROM l ASOF LEFT JOIN r ON l.v >= r.v AND r.id > ? WHERE l.name = ?", [4, "b"], [40, "a"]),
        ("SELECT a.id, b.id AS b FROM (SELECT id FROM l WHERE name = ?) a POSITIONAL JOIN r b WHERE b.id > ?", ["b", 3], ["a", 40]),
    ])


def by_name(n):
    rng = random.Random(SEED)
    columns = ["id", "k", "v", "name", "day", "s", "k AS n", "v AS K", "upper(name) AS name", "id + 0.5 AS id", "k::BIGINT AS k", "NULL AS day", "[k] AS l"]

    def side():
        names, items = set(), []
        for c in rng.sample(columns, rng.randrange(1, 5)):
            if (name := c.split(" ")[-1].lower()) not in names:
                names.add(name)
                items.append(c)
        return f"SELECT {', '.join(items)} FROM {rng.choice(['l', 'r', 'none', 'lone'])}" + rng.choice(["", "", " WHERE v > 1", " WHERE k = 1 AND id < 30"]), names

    for _ in range(n):
        (a, in_a), (b, in_b), (c, in_c) = side(), side(), side()
        op, op2 = rng.choice(["UNION", "UNION ALL", "UNION ALL"]), rng.choice(["UNION", "UNION ALL"])
        yield f"{a} {op} BY NAME {b}"
        yield f"{a} {op} BY NAME {b} {op2} BY NAME {c}"
        both = sorted((in_a | in_b) - {"s", "l"})
        if both:
            x = rng.choice(both)
            yield f"SELECT * FROM ({a} {op} BY NAME {b}) q WHERE {x} IS NOT NULL"
            yield f"SELECT {x} AS x, count(*) AS c FROM ({a} UNION ALL BY NAME {b}) q WHERE {x}::VARCHAR > '1' OR {x} IS NULL GROUP BY ALL"


@checks.check("UNION BY NAME")
def _(client, connection, address):
    compare(client, connection, list(by_name(150)) + [
        "SELECT id FROM l UNION ALL BY NAME SELECT v FROM r ORDER BY ALL",
        "SELECT * FROM (SELECT id, s FROM l UNION ALL BY NAME SELECT id, k FROM r) q WHERE id < 10 AND s.a = 1",
        "SELECT * FROM (SELECT id, v FROM l UNION ALL BY NAME SELECT id, k FROM r) q WHERE id > 7 AND v IS NULL AND k = 1",
        "WITH q AS (FROM l UNION BY NAME SELECT 'x' AS extra) SELECT extra, count(*) AS n FROM q GROUP BY ALL",
        "SELECT id FROM l UNION ALL BY NAME VALUES (1, 2)",
    ])


@checks.check("samples")
def _(client, connection, address):
    exact = [  # sizes that chance has no part in
        ("SELECT count(DISTINCT id) FROM big TABLESAMPLE 100 ROWS", 100), ("SELECT count(*) FROM big USING SAMPLE 7", 7), ("SELECT count(*) FROM l USING SAMPLE 1000", 60),
        ("SELECT count(*) FROM none TABLESAMPLE 5", 0), ("SELECT count(*) FROM big TABLESAMPLE bernoulli(100%)", 30_000), ("SELECT count(*) FROM big TABLESAMPLE 0%", 0),
        ("SELECT count(*) FROM big TABLESAMPLE 0 ROWS", 0), ("SELECT count(*) FROM (SELECT * FROM l WHERE id < 30) TABLESAMPLE 40", 30),
        ("SELECT count(*) FROM l CROSS JOIN r USING SAMPLE 11 ROWS", 11), ("SELECT count(*) FROM l TABLESAMPLE 3, r TABLESAMPLE 4 ROWS", 12),
        ("SELECT count(*) FROM big TABLESAMPLE 50 USING SAMPLE 20 ROWS", 20), ("SELECT count(*) FROM range(100) r(i) TABLESAMPLE 9", 9),
        ("WITH q AS (SELECT id FROM big TABLESAMPLE 50 ROWS) SELECT count(*) FROM q a JOIN q b USING (id)", 50),
        *[(f"SELECT count(*) FROM big TABLESAMPLE {n} ROWS", want) for n, want in (("2.9", 3), ("2.5", 2), ("3.5", 4), ("0.4", 0))],
    ]
    for sql, want in exact:
        got, duck = one(client, sql), connection.execute(sql).fetchone()[0]
        assert got == want == duck, f"{got}, DuckDB {duck}, want {want} -- {sql}"
    likely = [  # a condition above a sample sees few rows: below it, it would see 10 or more
        ("SELECT count(*) FROM big TABLESAMPLE 300 ROWS WHERE id < 10", 0, 6), ("SELECT count(*) FROM big WHERE id < 10 USING SAMPLE 300 ROWS", 0, 6),
        ("SELECT count(*) FROM big b TABLESAMPLE 300 ROWS JOIN l USING (id)", 0, 12), ("SELECT count(*) FROM big b JOIN big c USING (id) WHERE id < 10 USING SAMPLE 300", 0, 6),
        ("SELECT count(*) FROM (FROM big TABLESAMPLE 300) q WHERE id < 10", 0, 6), ("SELECT count(*) FROM big TABLESAMPLE bernoulli(10%)", 2500, 3500),
        ("SELECT count(*) FROM big TABLESAMPLE reservoir(10 PERCENT)", 2500, 3500),
    ]
    for sql, low, high in likely:
        for source, got in ("the server", one(client, sql)), ("DuckDB", connection.execute(sql).fetchone()[0]):
            assert low <= got <= high, f"{source}: {got}, want {low} to {high} -- {sql}"
    drawn = "SELECT id, k, v, name FROM big TABLESAMPLE reservoir(200 ROWS) REPEATABLE (5)"
    sample = rows(ask(client, drawn))
    assert len(sample) == 200 and sample == rows(ask(client, drawn)), "a seed gives one sample"
    assert set(sample) <= set(rows(ask(client, "SELECT id, k, v, name FROM big"))), "rows that are not in the table"
    assert sample != rows(ask(client, drawn.replace("5", "6"))), "two seeds give one sample"


@checks.check("limits as percentages")
def _(client, connection, address):
    compare(client, connection, [
        *[f"SELECT * FROM (SELECT id FROM {t} ORDER BY id LIMIT {p}) q ORDER BY ALL" for t in ("l", "none", "lone", "big")
          for p in ("10%", "12.5 PERCENT", "0%", "100%", "(2 * 10)%", "50% OFFSET 3", "NULL%", "1e1%", "50 % 7", "(SELECT 20)%", "'30'%")],
        "SELECT count(*) AS n FROM (SELECT id FROM big WHERE k = 1 LIMIT 25%) q",
        "SELECT count(*) AS n FROM (SELECT id FROM big LIMIT 25%) q WHERE id >= 0",
        "(SELECT id FROM l ORDER BY id LIMIT 10%) UNION ALL (SELECT id FROM r ORDER BY id DESC LIMIT 20%)",
        "SELECT DISTINCT k FROM l ORDER BY k LIMIT 50%",
    ])
    compare_prepared(address, connection, [("SELECT * FROM (SELECT id FROM l ORDER BY id LIMIT ?%) q WHERE id > ?", [10.0, 1], [55.5, -1], [None, 7])])


def pivots(n):
    rng = random.Random(SEED)
    values = {"k": ["1", "2", "7", "'3'", "NULL", "99 AS none"], "name": ["'a'", "b", '"C"', "NULL", "'b' AS bee", "'zz'"], "v": ["0.5", "9.0", "1.5", "'2.5'"],
              "day": ["'2019-04-14'", "DATE '2019-04-15'", "NULL"], "id % 2": ["0", "1"], "upper(name)": ["'A'", "'B'"], "s.a": ["0", "'1'"]}
    aggs = ["sum(id) AS total", "count(*) AS n", "max(v) AS m", "sum(k)", "count(*)", "string_agg(name, ',' ORDER BY id) AS names", "sum(CASE WHEN k > 1 THEN id END) AS f", "avg(v) + 1 AS av", "count(DISTINCT name) AS dn"]
    for _ in range(n):
        source = rng.choice(["l", "r", "none", "lone", "(SELECT * FROM l WHERE k > 1)", "(SELECT id, k, v, name, day, s FROM l UNION ALL FROM r)"])
        statement = rng.random() < 0.4
        on = rng.sample([c for c in values if statement or c.isalpha()], rng.randrange(1, 3))
        using = ", ".join(rng.sample(aggs, rng.randrange(1, 3)))
        groups = rng.choice(["name", "k", "id", "k, name", "s", "day, k"])
        lists = [f"{c} IN ({', '.join(rng.sample(values[c], rng.randrange(1, len(values[c]))))})" for c in on if c != "s.a"]
        if not lists:
            continue
        if statement:
            yield f"PIVOT {source} ON {', '.join(lists)} USING {using} GROUP BY {groups}"
            yield f"SELECT * FROM (PIVOT {source} ON {', '.join(lists)} GROUP BY {groups}) q WHERE {groups.split(', ')[0]} IS NOT NULL"
        else:
            yield f"SELECT * FROM {source} PIVOT ({using} FOR {' '.join(lists)} GROUP BY {groups})" + rng.choice(["", " p WHERE p." + groups.split(", ")[0] + " IS NOT NULL"])
            yield f"SELECT * FROM (SELECT id, {', '.join(sorted({'k', 'name', 'v', 'day'}))} FROM {source} t) PIVOT ({using} FOR {' '.join(lists)})"


def unpivots(n):
    rng = random.Random(SEED)
    entries = ["id", "k", "v", "id AS i", "k AS 'the k'", "k::DOUBLE", "id + 1", "COLUMNS('^[kv]$')", "* EXCLUDE (name, day, s)"]
    for _ in range(n):
        source = rng.choice(["l", "r", "none", "lone", "(SELECT * FROM l WHERE k > 1)", "l SEMI JOIN r USING (id)"])
        nulls = rng.choice(["", "", "INCLUDE NULLS ", "EXCLUDE NULLS "])
        where = rng.choice(["", "", " WHERE x > 1", " WHERE n = 'k'", " WHERE name = 'b' AND n <> 'id'"])
        yield f"SELECT * FROM {source} UNPIVOT {nulls}(x FOR n IN ({', '.join(rng.sample(entries, rng.randrange(1, 4)))})) u{where}"
        yield f"SELECT * FROM {source} UNPIVOT {nulls}((x, y) FOR n IN ((id, name), (k, name) AS kn))"
        if " JOIN " not in source:
            yield f"UNPIVOT {source} ON {', '.join(rng.sample(entries, rng.randrange(1, 4)))} INTO NAME n VALUE x"


@checks.check("PIVOT and UNPIVOT")
def _(client, connection, address):
    compare(client, connection, list(pivots(150)) + list(unpivots(100)) + [
        *[f"SELECT * FROM {t} PIVOT ({aggs} FOR id IN ({', '.join(str(i) for i in range(40))}) GROUP BY name)" for t in ("l", "none")
          for aggs in ("max(v)", "count(*)", "count(v) AS c, sum(k) AS s", "string_agg(name, ',') AS n", "first(k)", "any_value(s)", "count(DISTINCT k) + 1 AS d", "list(v)", "avg(k) AS a, median(v) AS m")],
        "SELECT * FROM big PIVOT (sum(id) FOR v IN (" + ", ".join(f"{i}.0" for i in range(300)) + ") GROUP BY k)",
        "UNPIVOT l ON k, v",
        "UNPIVOT (SELECT id, k, v FROM l) ON k, v ORDER BY ALL",
        "PIVOT l ON name IN ('a', 'b') USING sum(id)",
        "SELECT * FROM none PIVOT (sum(id) FOR name IN ('a') GROUP BY k)",
        "SELECT * FROM (SELECT id, name FROM none) PIVOT (sum(id), count(*) AS n FOR name IN ('a'))",
        "SELECT * FROM l PIVOT (sum(id) AS t FOR k IN (1, 2) GROUP BY name) UNPIVOT (x FOR n IN (* EXCLUDE (name)))",
        "WITH q AS (UNPIVOT l ON k, id INTO NAME n VALUE x) SELECT n, sum(x) AS t FROM q GROUP BY n ORDER BY ALL",
        "SELECT p.*, r.v FROM l PIVOT (max(id) FOR name IN (a, b, 'C' AS c) GROUP BY k) p LEFT JOIN r ON r.id = p.a",
        "PIVOT l ON name IN ('a') USING max(v), min(v) GROUP BY k UNION ALL SELECT 1, 2, 3",
        "SELECT count(*) AS n FROM l UNPIVOT (x FOR n IN (k, v))",
        "SELECT * FROM l PIVOT (sum(id) AS a, sum(k) AS a FOR name IN (b, 'B', 'b' AS \"B\") GROUP BY day)",
    ])
    compare_prepared(address, connection, [
        ("SELECT * FROM l PIVOT (sum(id + ?) FOR name IN ('a', 'b') GROUP BY k) WHERE k > ?", [3, 1], [0, 2]),
        ("SELECT * FROM l UNPIVOT (x FOR n IN (k, v)) WHERE n = ? AND x > ?", ["k", 1.0], ["v", 2.0]),
    ])


def constant_columns():
    """Columns of constants of each type, of a subquery and a CTE, in every clause."""
    constants = ["2", "300", "-1", "0.5", "1e0", "'a'", "''", "NULL", "NULL::INT", "true", "1 + 1", "DATE '2024-01-01'", "2::TINYINT", "'2'::BIGINT", "[1, 2]", "{'x': 1}"]
    uses = [
        "SELECT c AS y, avg(k) AS m FROM q WHERE k > 100 GROUP BY ALL", "SELECT c, count(*) AS n FROM q GROUP BY c", "SELECT c, count(*) AS n FROM q WHERE id < 0 GROUP BY c",
        "SELECT c, k, count(*) AS n FROM q GROUP BY ROLLUP (c, k)", "SELECT c, grouping(c) AS g, count(*) AS n FROM q GROUP BY CUBE (c)",
        "SELECT c, max(k) AS m FROM q GROUP BY GROUPING SETS ((c), ()) HAVING c IS NULL",
        "SELECT DISTINCT ON (c) c, id FROM q ORDER BY c, id", "SELECT DISTINCT c FROM q", "SELECT string_agg(name, ',' ORDER BY c, id) AS x FROM q", "SELECT list(c ORDER BY id) AS x FROM q",
        "SELECT id, c FROM q ORDER BY c, id LIMIT 5", "SELECT id FROM q ORDER BY c DESC, id LIMIT 5", "SELECT [k, c] AS x FROM q", "SELECT k + c AS x FROM q", "SELECT max(k * c) AS x FROM q", "SELECT k // c AS x FROM q",
        "SELECT coalesce(c, k) AS x FROM q", "SELECT q.id, typeof(c) AS t FROM q JOIN r ON r.k = q.c", "SELECT q.id FROM q ASOF JOIN r ON q.c >= r.v AND q.id = r.id",
        "SELECT id, row_number() OVER (PARTITION BY c ORDER BY c, id) AS x FROM q", "SELECT id FROM q WHERE c = 2", "SELECT id FROM q WHERE c IN ('a', 'b') AND id + 1 > 3", "SELECT id FROM q WHERE c IS NULL OR k = 1",
        "SELECT id FROM q WHERE k + c > 3", "SELECT c, id FROM q UNION ALL SELECT k, id FROM r", "SELECT id, (SELECT max(r.k + q.c) FROM r) AS x FROM q",
    ]
    for c, use in itertools.product(constants, uses):
        yield use.replace("FROM q", f"FROM (SELECT {c} AS c, id, k, name FROM l) q")
        yield f"WITH q AS (SELECT {c} AS c, id, k, name FROM l WHERE id < 50 UNION ALL SELECT {c}, id, k, name FROM l WHERE id > 20) {use}"


@checks.check("columns of constants")
def _(client, connection, address):
    compare(client, connection, list(constant_columns()))


@checks.check("SUMMARIZE")
def _(client, connection, address):
    compare(client, connection, [
        "SUMMARIZE l", "SUMMARIZE r", "SUMMARIZE none", "SUMMARIZE lone", "SUMMARIZE TABLE l",
        "SUMMARIZE SELECT id, v AS \"v'v\", name, k FROM l WHERE k > 1",
        "SUMMARIZE FROM l WHERE FALSE",
        "SUMMARIZE (SELECT k FROM l UNION ALL SELECT id FROM r)",
        "SUMMARIZE SELECT * FROM l ORDER BY id LIMIT 7",
        "SUMMARIZE WITH q AS (SELECT id, k FROM l) SELECT r.name, k IS NULL AS n FROM q JOIN r USING (id)",
        "SUMMARIZE SELECT id, id AS other, id FROM r",
        "SUMMARIZE PIVOT l ON name IN ('a') USING sum(id) AS t GROUP BY k",
        "SUMMARIZE SELECT " + ", ".join(f"id + {i} AS c{i}" for i in range(15)) + " FROM l",
        "SELECT column_name, column_type, min, max, count, null_percentage FROM (SUMMARIZE big)",
        "SELECT q.a, null_percentage FROM (SUMMARIZE l) AS q(a) WHERE null_percentage > 0 AND a <> 'k' ORDER BY ALL",
        "SELECT l.id, q.max FROM l JOIN (SUMMARIZE SELECT id AS the_id FROM l) q ON l.id::VARCHAR = q.max",
    ])
    compare_prepared(address, connection, [("SUMMARIZE SELECT id, name FROM l WHERE name = ? AND k > ?", ["a", 0], ["b", 2])])


def row_structs(n):
    """Tables whose names stand for their rows, and subqueries that read what stands before them in FROM."""
    rng = random.Random(SEED)
    tables = ["l {}", "r {}", "none {}", "lone {}", "(SELECT id, k, v, name, s FROM l WHERE v > 1) {}", "(SELECT id, k + 1 AS k, v, upper(name) AS name, s FROM r) {}",
              "(SELECT DISTINCT id, k, v, name, s FROM l) {}", "(SELECT id, k, v, name, s FROM l UNION ALL SELECT id, k, v, name, s FROM r) {}"]
    values = ["{}", "({}).name", "{}['k']", "to_json({})", "({}).s.a", "{} IS NULL", "[{}]", "{}::VARCHAR", "struct_insert({}, z := 1)", "({}).v + 1", "CASE WHEN {}.k > 1 THEN {} END"]
    aggregates = ["count({})", "max({})", "count(DISTINCT {})", "list({} ORDER BY {}.id, {}.k, {}.v, {}.name)", "arg_min({}, {}.id).id", "bool_or({} IS NULL)"]
    wheres = ["", " WHERE ({}).v > 1", " WHERE {}['name'] = 'b' AND {}.id > 9", " WHERE {} IS NOT NULL AND ({}).s.a = 1", " WHERE to_json({}) LIKE '%\"k\":1%'",
              " WHERE {} IN (SELECT q FROM (SELECT id, k, v, name, s FROM l WHERE id < 30) q)"]
    laterals = ["(SELECT {}.k + 1 AS x) t", "(SELECT max(o.v) AS x FROM r o WHERE o.k = {}.k) t", "(SELECT o.id AS x FROM l o WHERE o.id = {}.id * 2 AND o.v > 1) t", "(SELECT {}.name AS x UNION ALL SELECT 'z') t",
                "(VALUES ({}.id), ({}.k)) t(x)", "(SELECT {} AS x) t", "(SELECT unnest([{}.k, 5]) AS x) t", "(SELECT count(*) AS x FROM r o, (SELECT o.id + {}.id AS y) p WHERE p.y > 40) t"]
    for _ in range(n):
        name = rng.choice(["a", "b", "l"])
        table, where, value, total, lateral = (rng.choice(c).replace("{}", name) for c in (tables, wheres, values, aggregates, laterals))
        join = rng.choice([", {}", " CROSS JOIN {}", " JOIN {} ON TRUE", " LEFT JOIN {} ON t.x IS NOT NULL"]).format(lateral)
        yield f"SELECT {value} AS x FROM {table}{where}"
        yield f"SELECT {total} AS x FROM {table}{where}"
        yield f"SELECT {name}.id, t.x FROM {table}{join}{where}"
        yield f"SELECT {total} AS x, count(*) AS n FROM {table} LEFT JOIN lone z ON z.k = {name}.k{where}"
        yield f"SELECT q.x AS y FROM (SELECT {name} AS x FROM {table}{where}) q WHERE q.x.k = 1"


@checks.check("arrays of a fixed size")
def _(client, connection, address):
    x = "[0.1, 0.2, 0.3]::FLOAT[3]"
    compare(client, connection, [
        *[f"SELECT id, {f}(v, {x}) AS d FROM vectors" for f in ("array_distance", "array_cosine_distance", "array_cosine_similarity", "array_inner_product", "array_negative_inner_product", "array_cross_product")],
        *[f"SELECT id FROM vectors WHERE array_distance(v, {x}) < {d} AND id > 4 ORDER BY array_distance(v, {x}), id LIMIT 5" for d in (0.3, 0.6, 1e9)],
        *[f"SELECT id, {a} {op} {b} AS d FROM vectors WHERE v IS NOT NULL" for op in ("<->", "<=>") for a, b in (("v", x), ("w", "[1, 2, 0.5]"), ("l", "[1, 2, 3]::FLOAT[]"), ("v", "l"), ("v", "v"))],
        f"SELECT v <-> {x} AS d FROM vectors",
        f"SELECT id, v = {x} AS a, v < [0.5, 0, 0]::FLOAT[3] AS b, v IN ({x}) AS c, w = [1, 2, 0] AS d, v IS DISTINCT FROM {x} AS e FROM vectors",
        "SELECT id FROM vectors WHERE w > [1, 1, 0]::DOUBLE[3] AND w <> [2, 2, 2]::DOUBLE[3]",
        "SELECT v::DOUBLE[3] AS a, v::FLOAT[] AS b, l::FLOAT[3] AS c, v::VARCHAR AS d, typeof(v) AS e, v[1] AS f, v[1:2] AS g, len(w) AS h, list_sum(v) AS i FROM vectors",
        "SELECT [1, 2]::INT[2] AS a, [[1, 2], [3, 4]]::INT[2][2] AS b, [[1], [2]]::INT[1][] AS c, NULL::INT[2] AS d, '[1, NULL]'::INT[2] AS e, {'a': [1]}::STRUCT(a INT[1]) AS f, TRY_CAST([1] AS INT[2]) AS g",
        "SELECT [1, 2, 3]::INT[2] AS a", "SELECT array_value(1.0, 2.0) <-> array_value(1.0, 3.0) AS a", "SELECT l::FLOAT[2] AS a FROM vectors",
        "SELECT w, count(*) AS n, max(v) AS m FROM vectors GROUP BY w", "SELECT a.id, b.id AS i FROM vectors a JOIN vectors b ON a.w = b.w AND a.id < b.id",
        "SELECT unnest(v) AS x, id FROM vectors", "SELECT v AS x FROM vectors UNION ALL SELECT [1, 2, 3]::FLOAT[3]", "SELECT id FROM vectors ORDER BY w, id",
    ])
    compare_prepared(address, connection, [("SELECT id, array_distance(v, CAST(? AS FLOAT[3])) AS d FROM vectors WHERE w[1] > ?", [[0.5, 0.5, 0.5], 0.0], [[1.0, 0.0, 2.0], 1.0])])


@checks.check("rows as structs, and subqueries that read what stands before them")
def _(client, connection, address):
    compare(client, connection, list(row_structs(150)))
    compare_prepared(address, connection, [
        ("SELECT l AS x FROM l WHERE (l).name = ? AND l.v > ?", ["a", 0.0], ["b", 1.0]),
        ("SELECT l.id, t.x FROM l, (SELECT o.id AS x FROM r o WHERE o.k = l.k AND o.id > ?) t WHERE l.name = ?", [4, "b"], [40, "a"]),
    ])


@checks.check("parameters in UNION BY NAME")
def _(client, connection, address):
    compare_prepared(address, connection, [
        ("SELECT id, name FROM l WHERE name = ? UNION ALL BY NAME SELECT id, k FROM r WHERE id > ?", ["a", 3], ["b", 90]),
        ("SELECT * FROM (SELECT id, name FROM l UNION ALL BY NAME SELECT id, k FROM r) q WHERE k = ? OR name = ?", [1, "a"], [None, "b"]),
    ])


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        checks.run(flight.connect(f"grpc://{sys.argv[3]}"), reference(), sys.argv[3])
