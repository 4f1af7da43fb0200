"""Statements of BI tools, the examples of docs/sql.md, and generated ones, whose answers are those of DuckDB over the same data.

python statements.py make DIR                 writes DIR/*.lance and a view
python statements.py run DIR HOST:PORT        asks the server that serves DIR, and DuckDB
"""

import collections
import datetime
import decimal
import itertools
import math
import pathlib
import random
import re
import sys

import duckdb
import lance
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 20
GENERATED = 3000
VIEW = "SELECT shop_id, count(*) AS sales, sum(amount) AS turnover FROM sales GROUP BY shop_id"


def tables():
    rng = random.Random(SEED)
    cities = ["Oslo", "Lima", "Bergen", "Quito", "São Paulo", None]
    day = datetime.date(2020, 1, 1)
    shops = [
        {"id": i, "city": rng.choice(cities), "region": rng.choice(["north", "south", "east"]), "opened": day + datetime.timedelta(days=rng.randrange(900)),
         "area": rng.choice([None, 12.5, 80.0, 33.25])}
        for i in range(12)
    ]
    start = datetime.datetime(2024, 1, 1)
    sales = [
        {"id": i, "shop_id": rng.choice([None, *range(14)]), "sold": start + datetime.timedelta(minutes=rng.randrange(400_000)),
         "amount": rng.choice([None, decimal.Decimal(rng.randrange(-500, 90_000)) / 100]), "qty": rng.choice([None, 0, 1, 2, 5, -3]),
         "price": rng.choice([None, 0.5, 1.25, -2.0, 1e10, float("nan")]), "kind": rng.choice(["card", "cash", "Card", "gift_card", ""]),
         "note": rng.choice([None, "it's", "50%", "a_b", "née", '{"k": 1, "l": [1, 2]}']), "paid": rng.choice([True, False, None]),
         "tags": rng.choice([None, [], ["a"], ["a", "b"], ["b", None]]), "who": rng.choice([None, {"name": "Ann", "age": 30}, {"name": "Bo", "age": None}])}
        for i in range(600)
    ]
    schemas = {
        "shops": pa.schema({"id": pa.int64(), "city": pa.string(), "region": pa.string(), "opened": pa.date32(), "area": pa.float64()}),
        "sales": pa.schema({"id": pa.int64(), "shop_id": pa.int64(), "sold": pa.timestamp("us"), "amount": pa.decimal128(10, 2), "qty": pa.int32(),
                            "price": pa.float64(), "kind": pa.string(), "note": pa.string(), "paid": pa.bool_(), "tags": pa.list_(pa.string()),
                            "who": pa.struct({"name": pa.string(), "age": pa.int32()})}),
    }
    return {name: pa.Table.from_pylist(rows, schemas[name]) for name, rows in (("shops", shops), ("sales", sales))}


def make(folder):
    for name, table in tables().items():
        lance.write_dataset(table, str(folder / f"{name}.lance"), max_rows_per_file=200, data_storage_version="2.1")
    (folder / "turnover.view.sql").write_text(VIEW)


def reference():
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for name, table in tables().items():
        connection.register(f"{name}_arrow", table)
        connection.execute(f"CREATE TABLE {name} AS FROM {name}_arrow")
        connection.unregister(f"{name}_arrow")  # a listing would show it
    connection.execute(f"CREATE VIEW turnover AS {VIEW}")
    return connection


Statement = collections.namedtuple("Statement", "name sql duck")


def collected(file):
    """The statements of a file: '-- what it is for' before each, then '--= text' where DuckDB is to be asked otherwise, and
    '--=' alone where only the server can answer."""
    for part in re.split(r"^-- ", file.read_text(), flags=re.M)[1:]:
        name, rest = part.split("\n", 1)
        lines = rest.strip().split("\n")
        other = [line[3:].strip() for line in lines if line.startswith("--=")]
        sql = "\n".join(line for line in lines if not line.startswith("--=")).rstrip(";")
        yield Statement(f"{file.stem}: {name}", sql, other[0] if other else sql)


def examples():
    """The SQL blocks of docs/sql.md: a statement ends with ';' at the end of a line. Those of a 'server' block only it can answer."""
    text = (ROOT / "docs" / "sql.md").read_text()
    for kind, block in re.findall(r"^```sql( server)?\n(.*?)^```", text, flags=re.M | re.S):
        for sql in block.strip().removesuffix(";").split(";\n"):
            yield Statement(f"sql.md: {sql[:60]}", sql, None if kind else sql)


def refusals():
    """The lists of docs/sql.md of what is refused: statement and error."""
    text = (ROOT / "docs" / "sql.md").read_text()
    for sql, error in re.findall(r"^\| `(.*?)` \| (.*?) \|$", text, flags=re.M):
        yield sql.replace("\\|", "|"), error.replace("\\|", "|")


class Generator:
    """Random statements over the tables, of a few hundred shapes; the same for each seed."""

    columns = {"id": "int", "shop_id": "int", "qty": "int", "amount": "dec", "price": "dbl", "kind": "text", "note": "text", "paid": "bool", "sold": "ts"}

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def column(self, *types):
        return self.rng.choice([c for c, t in self.columns.items() if t in types])

    def spaced(self, text):
        """The text with other blanks, comments and case of words, none of which mean anything."""
        if self.rng.random() < 0.8:
            return text
        words = re.split(r"('(?:[^']|'')*'|\"[^\"]*\"| )", text)
        out = []
        for w in words:
            if w == " ":
                w = self.rng.choice([" ", "  ", "\n", "\t", " /* ' */ ", " -- x\n"])
            elif w[:1] not in "'\"" and re.fullmatch(r"[A-Z]{2,}", w):
                w = self.rng.choice([w.lower(), w, w.title()])
            out.append(w)
        return "".join(out)

    def literal(self, typ):
        return self.rng.choice({
            "int": ["0", "1", "2", "-3", "12", "9223372036854775807", "NULL"],
            "dec": ["1.5", "0.00", "-4.99", "123.45", "1e2", "NULL"],
            "dbl": ["0.5", "1e10", "-2", "'nan'::DOUBLE", "NULL"],
            "text": ["'card'", "''", "'it''s'", "'50%'", "'a_b'", "'née'", "NULL", "$$it's$$", "'x' || 'y'"],
            "bool": ["TRUE", "FALSE", "NULL", "(1 = 1)"],
            "ts": ["TIMESTAMP '2024-03-01 00:00:00'", "DATE '2024-02-29'", "'2024-05-01'", "TIMESTAMP '2024-01-01' + INTERVAL '40 days'", "NULL"],
        }[typ])

    def value(self, typ, depth=2):
        pick = self.rng.random()
        if depth == 0 or pick < 0.35:
            return self.column(typ)
        if pick < 0.5:
            return self.literal(typ) if typ != "bool" else self.predicate(depth - 1)
        a, b = (lambda t=typ: self.value(t, depth - 1)), (lambda t=typ: self.value(t, depth - 1))
        forms = {
            "int": [lambda: f"{a()} + {self.rng.choice(['1', 'qty'])}", lambda: f"-{self.column('int')}", lambda: f"{self.column('int')} - -{self.rng.choice('123')}",
                    lambda: f"{self.column('int')} // {self.rng.choice(['2', 'qty'])}", lambda: f"{self.column('int')} % 3", lambda: f"length({a('text')})",
                    lambda: f"coalesce({a()}, {b()})", lambda: f"CASE WHEN {self.predicate(depth - 1)} THEN {a()} ELSE {b()} END",
                    lambda: f"abs(qty)", lambda: f"extract(year FROM sold)", lambda: f"2 * ({self.column('int')} + 1)", lambda: "qty & 3 | 4", lambda: "abs(qty) << 2", lambda: f"TRY(CAST({self.column('text')} AS INTEGER))", lambda: f"{self.column('text')}.length()",
                    lambda: f"({a()}).abs()", lambda: "[id, qty, shop_id][1:-:2][2]"],
            "dec": [lambda: f"{a()} + 1.25", lambda: f"-{self.column('dec')}", lambda: "amount * 2", lambda: f"coalesce({a()}, {b()})", lambda: "CAST(qty AS DECIMAL(6,1))"],
            "dbl": [lambda: f"{a()} / 2", lambda: "qty / 4", lambda: "price * -1", lambda: "2 ^ 3 ^ 2", lambda: "2 ** qty", lambda: f"greatest({a()}, {b()})",
                    lambda: "CAST(amount AS DOUBLE)", lambda: "price::DOUBLE"],
            "text": [lambda: f"{a()} || {b()}", lambda: f"upper({a()})", lambda: f"substring({a()} FROM 2 FOR 3)", lambda: f"trim({a()})", lambda: f"replace({a()}, 'a', 'b')",
                     lambda: "CAST(qty AS VARCHAR)", lambda: f"'n' || qty + 1", lambda: f"coalesce({a()}, 'none')", lambda: f"nullif({a()}, 'card')", lambda: "kind[1:3]",
                     lambda: "who.name", lambda: "tags[1]", lambda: "kind.upper()", lambda: f"({a()}).replace('a', 'b')", lambda: "(sales).who.name", lambda: "sales['kind']"],
            "bool": [lambda: self.predicate(depth - 1)],
            "ts": [lambda: f"date_trunc('month', {self.column('ts')})", lambda: "sold + INTERVAL 1 DAY", lambda: "sold - INTERVAL '2 hours'", lambda: "CAST(CAST(sold AS DATE) AS TIMESTAMP)"],
        }
        return self.rng.choice(forms[typ])()

    def predicate(self, depth=2):
        typ = self.rng.choice(["int", "int", "dec", "dbl", "text", "text", "ts", "bool"])
        x = self.value(typ, min(depth, 1))
        if typ == "bool":
            x = f"({x})"
        forms = [
            lambda: f"{x} {self.rng.choice(['=', '<>', '<', '<=', '>', '>=', '!='])} {self.literal(typ)}",
            lambda: f"{x} IS {self.rng.choice(['', 'NOT '])}NULL",
            lambda: f"{x} BETWEEN {self.literal(typ)} AND {self.literal(typ)}",
            lambda: f"{x} {self.rng.choice(['', 'NOT '])}IN ({self.literal(typ)}, {self.literal(typ)})",
            lambda: f"{x} IS {self.rng.choice(['', 'NOT '])}DISTINCT FROM {self.literal(typ)}",
            lambda: f"{self.value('text', 1)} {self.rng.choice(['LIKE', 'NOT LIKE', 'ILIKE'])} {self.rng.choice(['%a%', 'c_rd', '', '%', 'CARD%']).join(chr(39) * 2)}",
            lambda: "note LIKE '50!%' ESCAPE '!'",
            lambda: f"{self.value('text', 0)} ~ '^c.*d$'",
            lambda: f"{self.value('text', 1)} GLOB {self.rng.choice(['c*', '*[ad]*', '', '?ash', '[!c]*']).join(chr(39) * 2)}",
            lambda: f"TRY(CAST(note AS INTEGER) = {self.value('int', 0)}) IS NULL",
            lambda: "sales IS NOT NULL", lambda: "(sales).qty > 1",
            lambda: "paid",
            lambda: f"NOT {self.value('bool', 0)}",
            lambda: f"({self.value('bool', 0)}) IS {self.rng.choice(['TRUE', 'FALSE', 'NOT TRUE', 'NOT FALSE'])}",
            lambda: "shop_id IN (SELECT id FROM shops WHERE region = 'north')",
            lambda: "EXISTS (SELECT 1 FROM shops s WHERE s.id = sales.shop_id AND s.city IS NOT NULL)",
            lambda: "len(tags) > 0", lambda: "who IS NULL", lambda: "qty = ANY([1, 5])",
        ]
        p = self.rng.choice(forms)()
        if depth and self.rng.random() < 0.5:
            word = self.rng.choice([" AND ", " OR ", " AND NOT "])
            p = f"({p}{word}{self.predicate(depth - 1)})" if self.rng.random() < 0.6 else f"{p}{word}{self.predicate(depth - 1)}"
        return p

    def plain(self):
        types = self.rng.choices(["int", "dec", "dbl", "text", "bool", "ts"], k=self.rng.randrange(1, 4))
        items = ", ".join(f"{self.value(t)} AS {n}" for t, n in zip(types, ["a", "b", '"c c"']))
        return f"SELECT id, {items} FROM sales WHERE {self.predicate()}" + self.rng.choice(["", " ORDER BY id", " ORDER BY id DESC LIMIT 7", " ORDER BY id LIMIT 5 OFFSET 3"])

    def grouped(self):
        keys = self.rng.sample(["kind", "shop_id % 3", "date_trunc('month', sold)", "paid", "qty"], self.rng.randrange(1, 3))
        aggregate = self.rng.choice(["count(*)", "sum(amount)", "min(sold)", "max(price)", "avg(qty)", "count(DISTINCT kind)", "sum(qty) FILTER (WHERE paid)",
                                     "string_agg(kind, ',' ORDER BY id)", "bool_or(paid)", "any_value(1)"])
        by = self.rng.choice([", ".join(str(i + 1) for i in range(len(keys))), ", ".join(keys), "ALL", f"ROLLUP({', '.join(keys)})", f"GROUPING SETS (({', '.join(keys)}), ())"])
        having = self.rng.choice(["", "", " HAVING count(*) > 20", " HAVING sum(qty) IS NOT NULL"])
        return f"SELECT {', '.join(f'{k} AS k{i}' for i, k in enumerate(keys))}, {aggregate} AS v FROM sales WHERE {self.predicate(1)} GROUP BY {by}{having}"

    def joined(self):
        join = self.rng.choice(["JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT OUTER JOIN", "FULL OUTER JOIN"])
        on = self.rng.choice(["ON s.shop_id = h.id", "ON s.shop_id = h.id AND h.region <> 'east'", "ON s.shop_id = h.id AND s.qty > 1"])
        where = self.rng.choice(["", " WHERE h.city IS NOT NULL", " WHERE s.amount > 100 OR h.area > 20", " WHERE coalesce(s.qty, 0) < 2"])
        return f"SELECT s.id, h.id AS h, s.kind, h.city FROM sales s {join} shops h {on}{where}"

    def shaped(self):
        inner = f"SELECT id, qty, kind, {self.value('int')} AS x FROM sales WHERE {self.predicate(1)}"
        return self.rng.choice([
            f"WITH q AS ({inner}) SELECT kind, count(*) AS n, sum(x::DOUBLE) AS t FROM q GROUP BY kind",
            f"SELECT * FROM ({inner}) AS q(i, j) WHERE i > 5",
            f"SELECT id, row_number() OVER (PARTITION BY kind ORDER BY id) AS r FROM ({inner}) q QUALIFY r <= 2",
            f"SELECT id FROM ({inner}) q UNION SELECT id FROM shops",
            f"SELECT id FROM ({inner}) q EXCEPT SELECT id FROM shops",
            f"SELECT id, lag(qty) OVER w AS p, sum(qty) OVER w AS s FROM ({inner}) q WINDOW w AS (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
            f"SELECT DISTINCT kind, qty FROM ({inner}) q", f"SELECT DISTINCT ON (kind) kind, id FROM ({inner}) q ORDER BY kind, id",
            f"SELECT t.sales, t.shop_id FROM turnover t WHERE t.sales > {self.rng.randrange(30, 50)} ORDER BY ALL",
            f"FROM ({inner}) q SELECT * EXCLUDE (qty) REPLACE (id + 1 AS id)",
            f"SELECT id, u FROM sales, unnest(tags) AS t(u) WHERE {self.predicate(1)}",
            f"SELECT kind, list(id ORDER BY id DESC)[1:2] AS l FROM ({inner}) q GROUP BY kind",
            f"SELECT id, [v + 1 FOR v IN [qty, id] IF v > 1] AS l FROM ({inner}) q",
            f"SELECT id, CASE WHEN note LIKE '{{%' THEN note END ->> 'k' AS k FROM sales WHERE {self.predicate(1)} AND (CASE WHEN note LIKE '{{%' THEN note END ->> 'k') = '1'",
            "SELECT id, ('{\"a\": [1, ' || qty || ']}') -> 'a' ->> 1 AS k FROM sales WHERE '{\"a\": 1}' ->> 'a' = '1' AND qty > 1",
        ])

    def all(self, n):
        shapes = itertools.cycle([self.plain, self.plain, self.grouped, self.joined, self.shaped])
        for i in range(n):
            sql = self.spaced(next(shapes)())
            yield Statement(f"generated {i}", sql, sql)


def plain(value):
    """A value with which equal results compare equal: means are rounded, as the order of additions is anyone's; NaN is text."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.10g}")
    if isinstance(value, (list, dict)):
        return repr(value)
    return value


def rows(table):
    columns = [[plain(v) for v in c.to_pylist()] for c in table.columns]
    return list(zip(*columns)) if columns else []


def type_name(t):
    """A type without the names of lists' items, which nobody sees in SQL."""
    if pa.types.is_list(t):
        return f"{type_name(t.value_type)}[]"
    if pa.types.is_fixed_size_list(t):
        return f"{type_name(t.value_type)}[{t.list_size}]"
    if pa.types.is_map(t):
        return f"map({type_name(t.key_type)}, {type_name(t.item_type)})"
    if pa.types.is_struct(t):
        return "{" + ", ".join(f"{f.name} {type_name(f.type)}" for f in t) + "}"
    return str(t)


def ask(client, sql):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(sql))
    return client.do_get(info.endpoints[0].ticket).read_all()


def differs(client, connection, s, answer=False, names=False):
    """Where the server and DuckDB do not agree on a statement; None where they do. What both refuse is agreed, unless there
    must be an answer. The names of columns are compared where that is asked for: those of expressions without alias are our own."""
    want = fault = None
    if s.duck:
        try:
            want = connection.execute(s.duck).to_arrow_table()
        except duckdb.Error as e:
            fault = str(e).split("\n")[0]
    try:
        got = ask(client, s.sql)
    except (flight.FlightError, pa.ArrowException) as e:
        text = str(e).split(". gRPC")[0].split("message: ")[-1]
        return None if fault and not answer else f"refused: {text} -- {s.sql}"
    if fault:
        return f"DuckDB says {fault} -- {s.sql}"
    if want is None:
        return None
    if len(got.schema) != len(want.schema) or [type_name(f.type) for f in got.schema] != [type_name(f.type) for f in want.schema]:
        return f"{got.schema.types} instead of {want.schema.types} -- {s.sql}"
    if names and got.schema.names != want.schema.names:
        return f"columns {got.schema.names} instead of {want.schema.names} -- {s.sql}"
    a, b = rows(got), rows(want)
    ordered = re.search(r"ORDER\s+BY\s+(id|ALL|1)\b[^)]*$", s.sql, flags=re.I)
    if (a != b) if ordered else collections.Counter(a) != collections.Counter(b):
        return f"{len(a)} rows {a[:3]} instead of {len(b)} rows {b[:3]} -- {s.sql}"
    return None


checks = Checks()


def each(name, statements, answer, names=False):
    @checks.check(name)
    def _(client, connection):
        every = list(statements())
        assert every, "no statements"
        faults = [d for d in (differs(client, connection, s, answer, names) for s in every) if d]
        assert not faults, f"{len(faults)} of {len(every)}: " + " ### ".join(faults[:8])


for path in sorted((ROOT / "integration" / "testdata" / "bi").glob("*.sql")):
    each(f"statements of {path.stem}", lambda path=path: collected(path), True)
for path in sorted((ROOT / "integration" / "testdata" / "duckdb").glob("*.sql")):
    each(f"statements of {path.stem}", lambda path=path: collected(path), True, True)
each("examples of sql.md", examples, True)


@checks.check("what sql.md says is refused")
def _(client, connection):
    every = list(refusals())
    assert len(every) > 50, f"{len(every)} entries"
    faults = []
    for sql, error in every:
        assert re.search(r"\(line \d+, column \d+\)", error), f"no place in {error}"
        try:
            ask(client, sql)
            faults.append(f"taken: {sql}")
        except (flight.FlightError, pa.ArrowException) as e:
            if f"message: {error}" not in str(e):
                faults.append(f"{sql}: {e}")
    assert not faults, " ### ".join(faults[:5])


@checks.check("faults have their place")
def _(client, connection):
    """The statements of wrong.sql, in which @^ stands before what is wrong: the message tells line and column, and a caret is below it."""
    every = (ROOT / "integration" / "testdata" / "wrong.sql").read_text().removesuffix(";\n").split(";\n")
    assert len(every) > 150, f"{len(every)} statements"
    faults = []
    for marked in every:
        sql, before = marked.replace("@^", "", 1), marked.split("@^", 1)[0]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        try:
            ask(client, sql)
            faults.append(f"taken: {sql}")
            continue
        except (flight.FlightError, pa.ArrowException) as e:
            text = str(e).split(". gRPC")[0].split("message: ")[-1]
        place = re.search(r"\(line (\d+), column (\d+)\)", text)
        if not place or (int(place[1]), int(place[2])) != (line, column):
            faults.append(f"{marked}: {text}")
        *_, shown, caret = text.split("\n") if text.count("\n") > 1 else ("", "")
        at = sql.split("\n")[line - 1][column - 1:][:10]
        if not re.fullmatch(r" *\^", caret) or shown[len(caret) - 1:][:len(at)] != at:
            faults.append(f"{marked}: caret in {text}")
    assert not faults, f"{len(faults)}: " + " ### ".join(faults[:5])


@checks.check("catalogs have DuckDB's columns")
def _(client, connection):
    """Each view of pg_catalog, and the functions that describe databases: DuckDB's columns come first, by name and type."""
    views = [r[0] for r in connection.execute("SELECT view_name FROM duckdb_views() WHERE internal AND schema_name = 'pg_catalog'").fetchall()]
    functions = [f"duckdb_{n}()" for n in ("columns", "constraints", "databases", "indexes", "schemas", "sequences", "settings", "tables", "types", "views")]
    bare = [r[0] for r in connection.execute("SELECT view_name FROM duckdb_views() WHERE internal AND view_name LIKE 'duckdb%' AND view_name <> 'duckdb_logs'").fetchall()]
    assert len(views) > 20 and len(bare) > 5, f"{views} {bare}"
    faults = []
    for name in [f"pg_catalog.{v}" for v in views] + views + functions + bare:
        want = connection.execute(f"SELECT * FROM {name} LIMIT 0").to_arrow_table().schema
        got = ask(client, f"SELECT * FROM {name}").schema
        a, b = ([(f.name, type_name(f.type)) for f in schema] for schema in (got, want))
        if a[:len(b)] != b:
            faults.append(f"{name}: {[c for c in b if c not in a]} missing, {[c for c in a if c not in b]} more")
    for (name,) in connection.execute("SELECT view_name FROM duckdb_views() WHERE internal AND schema_name = 'information_schema'").fetchall():
        want = connection.execute(f"SELECT * FROM information_schema.{name} LIMIT 0").to_arrow_table().schema.names
        got = ask(client, f"SELECT * FROM information_schema.{name}").schema.names
        if not set(want) <= set(got):
            faults.append(f"information_schema.{name}: {set(want) - set(got)} missing")
    assert not faults, " ### ".join(faults)


@checks.check("joins of catalogs open the tables that they are about")
def _(client, connection):
    """The names are read first, and the columns of just those tables then."""
    for sql, keys in (
        ("SELECT attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relname = 'shops'", "table_oid"),
        ("SELECT column_name FROM information_schema.tables t JOIN information_schema.columns c USING (table_name) WHERE t.table_name LIKE 's%'", "table_name"),
    ):
        plan = "\n".join(ask(client, f"EXPLAIN {sql}")["plan"].to_pylist())
        assert re.search(rf"keys: {keys} among s\d+\.{keys}, which is read first", plan), plan


each("generated statements", lambda: Generator(SEED).all(GENERATED), False)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    elif sys.argv[1] == "show":  # each difference on a line, for whoever looks into them
        client, connection = flight.connect(f"grpc://{sys.argv[3]}"), reference()
        for s in Generator(int(sys.argv[4])).all(GENERATED) if len(sys.argv) > 4 else [s for p in sorted((ROOT / "integration" / "testdata" / "bi").glob("*.sql")) for s in collected(p)]:
            if d := differs(client, connection, s):
                print(d.replace("\n", " "))
    else:
        checks.run(flight.connect(f"grpc://{sys.argv[3]}"), reference())
