"""Random expressions over columns of every type, as filters and as results, with literals and with parameters. The answers are
DuckDB's for the same text over the same data.

python expressions.py make DIR                 writes DIR/types.lance
python expressions.py run DIR HOST:PORT        asks the server that serves DIR, and DuckDB
python expressions.py show SEED COUNT HOST:PORT     each difference on a line, for whoever looks into them
"""

import datetime
import decimal
import math
import pathlib
import random
import sys

import adbc_driver_flightsql.dbapi
import duckdb
import lance
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks
from statements import plain, rows, type_name

SEED = 31
ROWS = 240
GENERATED = 2500
PARAMETERS = 700
D = decimal.Decimal
EPOCH = datetime.datetime(1970, 1, 1)


def edges(low, high):
    return [0, 1, 2, 3, 7, 10, 100, low, high, low + 1, high - 1] + ([-1, -2] if low < 0 else [])


NAN, INF = math.nan, math.inf
TIMES = [EPOCH, datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 12, 30), datetime.datetime(1969, 12, 31, 23, 59, 59),
         datetime.datetime(2024, 2, 29, 6, 30, 15), datetime.datetime(1900, 2, 3), datetime.datetime(2100, 12, 31, 23, 59, 59)]
FRACTIONS = [t + datetime.timedelta(microseconds=m) for t, m in zip(TIMES, [0, 1, 500_000, 999_999, 123_456, 10, 0])]
FLOATS = [0.0, -0.0, 0.1, 0.2, 0.5, 1.5, -2.5, 2.5, 3.0, 7.0, 1e30, -1e30, 16777216.0, NAN, INF, -INF]
TEXTS = ["", "a", "B", "b", "a ", " a", "é", "É", "a_b", "a%b", "%", "abc", "ABC", "10", "1.5", "-7", "2024-01-01", "true", "nan", "x\\y", "日本", "it's"]

# Texts that DuckDB reads as times by the type, in ways of its own.
TIME_TEXTS = ["2024-03-31 00:00:00+02", "2024-03-31 00:00:00Z", "2024-03-31 ", " 2024-03-31", "2024-3-1", "2024/3/31", "31-03-2024", "epoch", "infinity", "-inf", "0044-03-15 (BC)", "2024-03-31 24:00:00", "2024-03-31 00:00:00.1234567",
              "2024-02-30", "2024-03-31a", "01:02:03+02", "01:02", "24:00:00", "2024-01-01T12:30", "2024-03-31 00:00:00 Europe/Berlin", "2024-03-31 00:00:00 +02"]
TIMES_TAKEN = ["2024-03-31 00:00:00+02", "2024-03-31 00:00:00Z", " 2024-03-31", "2024-3-1", "2024/3/31", "epoch", "2024-03-31 24:00:00", "2024-03-31 00:00:00.1234567", "2024-01-01T12:30"]  # beside a column of any of the types
ENDLESS = 2**63 - 1  # of microseconds, as which DuckDB keeps infinity

# name: (kind, Arrow type, values)
COLUMNS = {
    "i8": ("int", pa.int8(), edges(-(2**7), 2**7 - 1)), "i16": ("int", pa.int16(), edges(-(2**15), 2**15 - 1)), "i32": ("int", pa.int32(), edges(-(2**31), 2**31 - 1)),
    "i64": ("int", pa.int64(), edges(-(2**63), 2**63 - 1) + [2**53, 2**53 + 1]), "u8": ("int", pa.uint8(), edges(0, 2**8 - 1)), "u16": ("int", pa.uint16(), edges(0, 2**16 - 1)),
    "u32": ("int", pa.uint32(), edges(0, 2**32 - 1)), "u64": ("int", pa.uint64(), edges(0, 2**64 - 1) + [2**63, 2**53 + 1]), "k": ("small", pa.int32(), [0, 1, 2, 3, -3, 5]),
    "f32": ("float", pa.float32(), FLOATS), "f64": ("float", pa.float64(), FLOATS + [1e300, 2.0**53, 5e-324]),
    "d4": ("dec", pa.decimal128(4, 1), [D("0.0"), D("1.5"), D("-2.5"), D("999.9"), D("-999.9"), D("7.0")]),
    "d10": ("dec", pa.decimal128(10, 2), [D("0.00"), D("1.23"), D("1.50"), D("-0.01"), D("7.00"), D("99999999.99"), D("0.10")]),
    "d38": ("dec", pa.decimal128(38, 10), [D("0"), D("1.5"), D("0.1"), D("-7"), D("1234567890123456789012345678.0123456789"), D("0.0000000001")]),
    "ok": ("bool", pa.bool_(), [True, False]), "ko": ("bool", pa.bool_(), [True, False]),
    "s": ("text", pa.string(), TEXTS), "s2": ("text", pa.string(), TEXTS), "ls": ("text", pa.large_string(), TEXTS), "ds": ("text", pa.dictionary(pa.int16(), pa.string()), TEXTS),
    "by": ("blob", pa.binary(), [b"", b"a", b"\x00\xff", b"abc"]),
    "day": ("time", pa.date32(), [t.date() for t in TIMES]), "ts": ("time", pa.timestamp("us"), FRACTIONS), "ts_s": ("time", pa.timestamp("s"), TIMES),
    "ts_ms": ("time", pa.timestamp("ms"), TIMES), "ts_ns": ("time", pa.timestamp("ns"), FRACTIONS), "tz": ("zone", pa.timestamp("us", "UTC"), FRACTIONS),
    "ti": ("time", pa.timestamp("us"), [0, ENDLESS, -ENDLESS, 1704067200000000]), "di": ("time", pa.date32(), [0, 2**31 - 1, -(2**31 - 1), 19723]), "tt": ("times", pa.string(), TIME_TEXTS),
    "clock": ("clock", pa.time64("us"), [datetime.time(0), datetime.time(12), datetime.time(6, 30, 15, 5), datetime.time(23, 59, 59, 999999)]),
    "li": ("ints", pa.list_(pa.int64()), [[], [1], [1, 2, 3], [None], [7, None], [2**62]]), "lf": ("floats", pa.list_(pa.float64()), [[], [0.5], [NAN, 1.5], [None, 0.1]]),
    "lt": ("texts", pa.list_(pa.string()), [[], ["a"], ["a", "b"], [None, "é"]]),
    "st": ("struct", pa.struct({"x": pa.int32(), "t": pa.string(), "in": pa.struct({"y": pa.float64()})}),
           [{"x": 1, "t": "a", "in": {"y": 0.5}}, {"x": None, "t": "b", "in": None}, {"x": 7, "t": None, "in": {"y": NAN}}]),
}


def table():
    rng = random.Random(SEED)
    columns = {"id": pa.array(range(ROWS), pa.int32())}
    for name, (_, typ, values) in COLUMNS.items():
        picked = [None if rng.random() < 0.15 else rng.choice(values) for _ in range(ROWS)]
        columns[name] = pa.array(picked, typ.value_type).cast(typ) if pa.types.is_dictionary(typ) else pa.array(picked, typ)
    return pa.table(columns)


def make(folder):
    lance.write_dataset(table(), str(folder / "types.lance"), max_rows_per_file=100, data_storage_version="2.1")


def reference():
    """DuckDB without its optimizer, which moves casts to the constants beside them: to it TRY_CAST(300 AS TINYINT) <> 5 is true."""
    connection = duckdb.connect()
    connection.execute("PRAGMA disable_optimizer")
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("arrow", table())
    connection.execute("CREATE TABLE types AS FROM arrow")
    return connection


COMPARE = ["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]
NUMBER_TYPES = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(10,1)", "DECIMAL(30,5)"]


class Generator:
    """Random expressions. bind, where set, is asked for each literal that a parameter may stand for: it gets the value and
    gives the text to write. Left out is where the rules of the reference are others than DuckDB's: a list with a DOUBLE
    literal beside a FLOAT, which is read as FLOAT; and HUGEINT next to decimals, which has no Arrow type."""

    def __init__(self, seed, bind=None):
        self.rng = random.Random(seed)
        self.bind = bind

    def pick(self, *xs):
        return self.rng.choice(xs)

    def column(self, *kinds):
        return self.rng.choice([n for n, c in COLUMNS.items() if c[0] in kinds])

    def literal(self, text, value=None):
        return self.bind(value) if self.bind and value is not None and self.rng.random() < 0.7 else text

    def number_literal(self, *more):
        text = self.pick(*more, "0", "1", "2", "-1", "7", "1.5", "1.0", "0.1", "-0.5", "2.50", "127", "128", "255", "256", "16777217", "3000000000", "9007199254740993", "9223372036854775807",
                         "9223372036854775808", "18446744073709551615", "'1'", "'1.5'", "'7'", "'0.1'")
        if text.startswith("'"):
            return text
        value = float(text) if "e" in text else D(text) if "." in text else int(text)
        return self.literal(text, value if abs(value) < 2**63 else None)

    def any_number(self):
        return self.column("int", "small", "float", "dec")

    def number(self, depth):
        if depth <= 0 or self.rng.random() < 0.4:
            return self.any_number() if self.rng.random() < 0.75 else self.number_literal().strip("'")
        n, t = (lambda: self.number(depth - 1)), (lambda: self.text(depth - 1))
        return self.rng.choice([
            lambda: f"{self.pick('f64', 'd4', 'k', 'f32', 'd10')} {self.pick('+', '-', '*', '/', '//', '%')} {self.pick('k', '2', '1.5', '0.1', '-3', '0', 'f32', 'd4')}",
            lambda: f"TRY_CAST({n()} AS {self.rng.choice(NUMBER_TYPES)})", lambda: f"TRY_CAST({t()} AS {self.rng.choice(NUMBER_TYPES)})",
            lambda: f"CASE WHEN {self.boolean(depth - 1)} THEN {n()} ELSE {n()} END", lambda: f"CASE k WHEN 1 THEN {n()} WHEN 2 THEN {n()} END",
            lambda: f"coalesce({n()}, {n()})", lambda: f"{self.pick('greatest', 'least')}({n()}, {n()})", lambda: f"nullif({n()}, {n()})", lambda: f"length({t()})",
            lambda: f"strpos({t()}, {t()})", lambda: f"{self.pick('year', 'month', 'day', 'hour', 'minute', 'second', 'dayofweek', 'quarter')}({self.column('time')})".replace("hour(day)", "hour(ts)"),
            lambda: f"-{self.pick('k', 'f64', 'd4', 'f32')}", lambda: f"abs({self.pick('k', 'f64', 'd4', 'f32', 'd38')})", lambda: "st.x", lambda: "st['in'].y", lambda: f"li[{self.pick('1', '2', '-1', 'k')}]",
            lambda: "lf[1]", lambda: f"len({self.pick('li', 'lt')})", lambda: f"round({self.pick('f64', 'd10', 'd4')}, 1)", lambda: f"{self.pick('floor', 'ceil', 'sqrt', 'sign')}({self.pick('k', 'd4', 'f32')})".replace("sqrt(k)", "floor(k)").replace("sqrt(d4)", "ceil(d4)").replace("sqrt(f32)", "sign(f64)"),
        ])()

    def text(self, depth):
        if depth <= 0 or self.rng.random() < 0.45:
            if self.rng.random() < 0.65:
                return self.column("text")
            value = self.rng.choice(TEXTS)
            return self.literal("'" + value.replace("'", "''") + "'", value)
        t = lambda: self.text(depth - 1)  # noqa: E731
        return self.rng.choice([
            lambda: f"{t()} || {t()}", lambda: f"{self.pick('lower', 'upper', 'trim', 'ltrim', 'rtrim', 'reverse')}({t()})", lambda: f"substr({t()}, {self.pick('1', '2', '0', '-1')}, {self.pick('1', '3', '0')})",
            lambda: f"CAST({self.column('int', 'dec', 'bool', 'time', 'float', 'clock')} AS VARCHAR)", lambda: f"concat({t()}, {self.any_number()}, {t()})", lambda: "st.t", lambda: "lt[1]",
            lambda: f"coalesce({t()}, {t()})", lambda: f"replace({t()}, 'a', 'bb')", lambda: f"left({t()}, 2)", lambda: f"CASE WHEN {self.boolean(depth - 1)} THEN {t()} END", lambda: f"nullif({t()}, {t()})",
        ])()

    def time_text(self):
        value = self.rng.choice(TIMES_TAKEN)
        return self.literal(f"'{value}'", value)

    def time_literal(self):
        if self.rng.random() < 0.2:
            return self.time_text()
        text = self.pick("2024-01-01", "2024-01-01 12:30:00", "1969-12-31 23:59:59.000001", "2024-2-29", "1900-02-03")
        word = self.pick("DATE ", "TIMESTAMP ", "") if " " not in text else self.pick("TIMESTAMP ", "")
        full = datetime.datetime.fromisoformat(text) if text != "2024-2-29" else None
        return self.literal(f"{word}'{text}'", full)

    def time(self, depth):
        if depth <= 0 or self.rng.random() < 0.5:
            return self.column("time")
        return self.rng.choice([
            lambda: f"TRY_CAST({self.pick('tt', self.time_text())} AS {self.pick('DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_NS')})", lambda: f"CAST({self.column('time')} AS DATE)", lambda: f"CAST({self.column('time')} AS TIMESTAMP)", lambda: f"date_trunc('{self.pick('month', 'day', 'hour', 'year', 'week')}', {self.column('time')})",
            lambda: f"{self.pick('day', 'ts', 'ts_s')} + INTERVAL {self.pick('1 DAY', '3 HOURS', '1 MONTH')}", lambda: f"day {self.pick('+', '-')} k", lambda: f"coalesce({self.column('time')}, {self.column('time')})",
        ])()

    def boolean(self, depth):
        if depth <= 0 or self.rng.random() < 0.3:
            return self.compare(depth)
        b, n, t = (lambda: self.boolean(depth - 1)), (lambda: self.number(depth - 1)), (lambda: self.text(depth - 1))
        return self.rng.choice([
            lambda: self.compare(depth), lambda: self.compare(depth), lambda: f"({b()} AND {b()})", lambda: f"({b()} OR {b()})", lambda: f"(NOT {b()})", lambda: f"({b()}) IS {self.pick('TRUE', 'NOT TRUE', 'FALSE', 'NULL', 'NOT FALSE')}",
            lambda: f"{n()} {self.pick('', 'NOT ')}BETWEEN {n()} AND {n()}", lambda: f"{self.any_number()} {self.pick('', 'NOT ')}IN ({self.number_literal()}, {self.pick('NULL', self.number_literal())}, {self.number_literal()})",
            lambda: f"{self.column('text')} {self.pick('', 'NOT ')}IN ({t()}, {t()}, {self.pick('NULL', t())})", lambda: f"{self.column('time')} {self.pick('', 'NOT ')}IN ({self.time_literal()}, {self.time_literal()})",
            lambda: f"{self.rng.choice(list(COLUMNS))} IS {self.pick('', 'NOT ')}NULL", lambda: f"{t()} {self.pick('LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE')} {self.pattern()}",
            lambda: f"{self.pick('starts_with', 'ends_with', 'contains')}({t()}, {t()})", lambda: f"{self.time(1)} BETWEEN {self.time_literal()} AND {self.time(1)}", lambda: f"list_contains(li, {self.pick('1', '7', 'k', 'NULL')})",
            lambda: f"CASE WHEN {b()} THEN {b()} ELSE {b()} END", lambda: self.pick("ok", "ko", "NOT ok", "ok = ko", "ok IS NOT DISTINCT FROM ko", "ok < ko", "by = 'a'::BLOB", "by > 'a'::BLOB", "st IS NULL", "li = [1]", "st.\"in\" IS NULL"),
            lambda: f"{self.pick('k', 'i16', 'd4')} = ANY([{self.number_literal().strip(chr(39))}, {self.number_literal().strip(chr(39))}])",
        ])()

    def pattern(self):
        value = self.pick("%a%", "a_b", "", "%", "A%", "_", "a\\_b", "%é", "1%", "%b")
        return self.literal(f"'{value}'", value)

    def compare(self, depth):
        op = self.rng.choice(COMPARE)
        x, y = self.rng.choice([
            lambda: (self.number(depth - 1), self.number_literal("1e3", "5e-1")), lambda: (self.any_number(), self.any_number()), lambda: (self.any_number(), self.number_literal("1e3", "5e-1")), lambda: (self.number(depth - 1), self.number(depth - 1)),
            lambda: (self.text(depth - 1), self.text(depth - 1)), lambda: (self.column("text"), self.text(0)), lambda: (self.time(depth - 1), self.time_literal()), lambda: (self.column("time"), self.column("time")),
            lambda: (self.time(0), self.time_literal()), lambda: (f"TRY_CAST({self.pick('tt', 's')} AS {self.pick('TIME', 'TIMESTAMPTZ')})::VARCHAR", self.text(0)), lambda: ("tz", self.time_text()), lambda: (self.pick("ts", "ti", "di", "tz"), self.pick("'infinity'", "'-infinity'", "TIMESTAMP 'infinity'", "'inf'")), lambda: ("clock", self.pick(self.time_text(), "'12:00:00'", "TIME '06:30:15.000005'", "'23:59'")), lambda: ("tz", self.pick("'2024-01-01 00:00:00+00'", "TIMESTAMPTZ '2024-01-01 01:00:00+01'", "tz", "'2024-01-01'")),
            lambda: (self.column("bool"), self.pick("TRUE", "FALSE", "ko", "NULL")), lambda: (self.column("int", "float", "dec", "text", "time"), "NULL"),
        ])()
        return f"{x} {op} {y}" if self.rng.random() < 0.8 else f"{y} {op} {x}"

    def statement(self):
        where = self.boolean(3)
        if self.rng.random() < 0.5:
            return f"SELECT id FROM types WHERE {where}"
        e = self.rng.choice([self.number, self.text, self.boolean, self.time])(3)
        return f"SELECT id, {e} AS e FROM types" + (f" WHERE {where}" if self.rng.random() < 0.5 else "")


def asked(client, sql, options=None):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(sql), options)
    return client.do_get(info.endpoints[0].ticket, options).read_all()


def prepared(cursor, sql, parameters):
    cursor.execute(sql, parameters=parameters)
    return cursor.fetch_arrow_table()


def computed(typ):
    """The type of a value, which a column that is just read may have as a dictionary or a large one."""
    typ = typ.value_type if pa.types.is_dictionary(typ) else typ
    return type_name(pa.string() if pa.types.is_large_string(typ) else typ)


def counted(table):
    """The table with times as counts of their unit, as Python has no infinite ones."""
    for i, f in enumerate(table.schema):
        if pa.types.is_timestamp(f.type) or pa.types.is_date32(f.type):
            table = table.set_column(i, f.name, table.column(i).cast(pa.int32() if pa.types.is_date32(f.type) else pa.int64()))
    return table


def difference(sql, ask, want):
    """Where the two do not agree: in being refused, in a type, or in a row."""
    expected = fault = None
    try:
        expected = want()
    except duckdb.Error as e:
        fault = str(e).split("\n")[0]
    try:
        got = ask()
    except Exception as e:  # each client has its own kinds
        text = str(e).split(". gRPC")[0].split("message: ")[-1].split("\n")[0]
        return None if fault else f"refused: {text} -- {sql}"
    if fault:
        return f"DuckDB says {fault} -- {sql}"
    if [computed(f.type) for f in got.schema] != [computed(f.type) for f in expected.schema]:
        return f"{got.schema.types} instead of {expected.schema.types} -- {sql}"
    a, b = {r[0]: r for r in rows(counted(got))}, {r[0]: r for r in rows(counted(expected))}
    if a != b or got.num_rows != expected.num_rows:
        odd = [i for i in sorted({*a, *b}) if a.get(i) != b.get(i)]
        return f"{len(a)} rows instead of {len(b)}; id {odd[0]}: {a.get(odd[0])} instead of {b.get(odd[0])} -- {sql}"
    return None


def tried(connection, sql, ask, values=()):
    """The difference to DuckDB without its optimizer; what that gives is no matter where DuckDB refuses the statement with it."""
    want = lambda: connection.execute(sql, values).to_arrow_table()  # noqa: E731
    d = difference(f"{sql} {values}" if values else sql, ask, want)
    if not (d or "").startswith("refused"):
        return d
    connection.execute("PRAGMA enable_optimizer")
    try:
        return difference(sql, ask, want)
    finally:
        connection.execute("PRAGMA disable_optimizer")


def literals(client, connection, seed, count):
    g = Generator(seed)
    for _ in range(count):
        sql = g.statement()
        if d := tried(connection, sql, lambda: asked(client, sql)):
            yield d


def parameters(cursor, connection, seed, count):
    values = []

    def bind(value):
        values.append(value)
        return "?"

    g = Generator(seed, bind)
    while count > 0:
        values.clear()
        sql = f"SELECT id FROM types WHERE {g.boolean(2)}"
        if not values or sql.count("?") != len(values):
            continue  # the generator threw away a text that it had drawn
        count -= 1
        if d := tried(connection, sql, lambda: prepared(cursor, sql, values), values):
            yield d


checks = Checks()


@checks.check("expressions with literals")
def _(client, cursor, connection):
    faults = list(literals(client, connection, SEED, GENERATED))
    assert not faults, f"{len(faults)} of {GENERATED}: " + " ### ".join(faults[:6])


@checks.check("expressions with parameters")
def _(client, cursor, connection):
    faults = list(parameters(cursor, connection, SEED, PARAMETERS))
    assert not faults, f"{len(faults)} of {PARAMETERS}: " + " ### ".join(faults[:6])


CAST_TYPES = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(30,5)", "VARCHAR", "DATE", "TIMESTAMP", "TIME", "UUID"]
CAST_COMPARED = ["{} = {}", "{} <> {}", "{} < {}", "{} IS DISTINCT FROM {}", "{} NOT IN ({}, {})", "{} NOT BETWEEN {} AND {}", "NOT ({} > {}) OR ok = ko", "{} >= {} AND ok < ko"]


def casts():
    """Casts beside constants of their types, and times cut short, in statements that flightsrv runs itself and in those that it gives to DuckDB."""
    rng = random.Random(SEED)
    for name in ["ts", "day", "ti", "di"]:
        for constant in ["'2024-01-01'", "'2024-01-01T12:30'", "DATE '1969-12-31'", "NULL"]:
            condition = rng.choice(CAST_COMPARED).format(f"date_trunc('{rng.choice(['week', 'month', 'year', 'day'])}', {name})", constant, constant)
            yield f"SELECT id, {condition} AS e FROM types"
            yield f"SELECT id FROM types WHERE {condition}"
    for name, (kind, _, _) in COLUMNS.items():
        for typ in CAST_TYPES if kind in ("int", "small", "float", "dec", "bool", "text", "blob", "time", "zone", "clock") else []:
            constant = f"TRY_CAST({rng.choice(['5', 'true', 'NULL']) if 'INT' in typ else rng.choice(TIMES_TAKEN).join(chr(39) * 2)} AS {typ})"
            for cast in ["TRY_CAST"] + ["CAST"] * (typ == "VARCHAR"):
                condition = rng.choice(CAST_COMPARED).format(f"{cast}({name} AS {typ})", constant, constant)
                yield f"SELECT id FROM types WHERE {condition}"
                yield f"SELECT id, {condition} AS e, row_number() OVER (ORDER BY id) AS n FROM types"
                yield f"SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n, {name}, ok, ko FROM types) WHERE n > 0 AND ({condition})"


@checks.check("casts and date_trunc beside constants")
def _(client, cursor, connection):
    wrong = [d for sql in casts() if (d := tried(connection, sql, lambda: asked(client, sql)))]
    assert not wrong, f"{len(wrong)}: " + " ### ".join(wrong[:6])


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    elif sys.argv[1] == "show":
        seed, count, server = int(sys.argv[2]), int(sys.argv[3]), f"grpc://{sys.argv[4]}"
        for d in literals(flight.connect(server), reference(), seed, count):
            print(d)
        for d in parameters(adbc_driver_flightsql.dbapi.connect(server).cursor(), reference(), seed, count // 3):
            print("PARAM", d)
    else:
        server = f"grpc://{sys.argv[3]}"
        checks.run(flight.connect(server), adbc_driver_flightsql.dbapi.connect(server).cursor(), reference())
