"""Queries, parameters and browsing through the ADBC driver."""

import datetime as dt
import decimal

import adbc_driver_flightsql.dbapi as flightsql
import pyarrow as pa
import pyarrow.compute as pc
from adbc_driver_flightsql import DatabaseOptions

from checks import Checks, arguments, equal, refused

checks = Checks()


def query(con, sql, parameters=None):
    with con.cursor() as cur:
        cur.execute(sql, parameters)
        return cur.fetch_arrow_table()


@checks.check("types come exactly as the table has them")
def _(con):
    got = query(con, "SELECT id, seen, kind, tags, items, props FROM events WHERE id = 2")
    equal(got.schema.field("seen").type, pa.timestamp("us", "UTC"))
    equal(got.to_pylist()[0]["seen"], dt.datetime(2024, 5, 1, 0, 34, tzinfo=dt.timezone.utc))
    equal(got.to_pylist()[0]["tags"], ["t0", "t1"])
    equal(got.to_pylist()[0]["props"], [("k0", "v2"), ("k1", "v2")])


@checks.check("parameters")
def _(con):
    equal(query(con, "SELECT id FROM worked WHERE lat.values > ?", [20]).column("id").to_pylist(), [1, 3])
    equal(query(con, "SELECT id FROM worked WHERE lat.values BETWEEN $1 AND $2", [-85.0, 10.0]).column("id").to_pylist(), [0, 3])
    equal(query(con, "SELECT count(*) AS n FROM events WHERE kind = ?", ["buy"]).to_pylist(), [{"n": 298}])
    since = dt.datetime(2024, 5, 10, tzinfo=dt.timezone.utc)
    equal(query(con, "SELECT min(id) AS n FROM events WHERE seen >= ?", [since]).to_pylist(), [{"n": 763}])
    equal(query(con, "SELECT ? + 1 AS n", [41]).to_pylist(), [{"n": 42}])


@checks.check("partitions read on connections of their own")
def _(con):
    want = query(con, "SELECT id, tags FROM events")
    with con.cursor() as cur:
        cur.execute("SELECT id, tags FROM events")
    options = {DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "x-flightsrv-partitions": "3"}
    with flightsql.connect(uri(), db_kwargs=options, autocommit=True) as many, many.cursor() as cur:
        partitions, schema = cur.adbc_execute_partitions("SELECT id, tags FROM events")
        assert len(partitions) > 1, partitions
    tables = []
    for p in partitions:
        with flightsql.connect(uri(), autocommit=True) as other, other.cursor() as cur:
            cur.adbc_read_partition(p)
            tables.append(cur.fetch_arrow_table())
    got = pa.concat_tables(tables)
    equal(got.schema, schema)
    equal(got.to_pydict(), want.to_pydict())


def uri():
    return f"grpc://{arguments().server}"


def announced(con, sql):
    with con.cursor() as cur:
        return [f.type for f in cur.adbc_prepare(sql)]


@checks.check("parameters whose place tells no type")
def _(con):
    # What is announced is something that the statement takes; what counts is what is bound.
    i64, f64, text, stamp = pa.int64(), pa.float64(), pa.utf8(), pa.timestamp("ms")
    for sql, types in {
        "SELECT ?": [text], "SELECT abs(?)": [f64], "SELECT sum(?)": [f64], "SELECT -?": [f64], "SELECT year(?)": [stamp],
        "SELECT repeat('ab', ?)": [i64], "SELECT max(?)": [text], "SELECT substr(?, ?)": [text, text],
    }.items():
        equal(announced(con, sql), types)
    day = dt.date(2020, 1, 2)
    for sql, bound, want in [
        ("SELECT ? AS x", [7], pa.array([7], i64)), ("SELECT ? AS x", [0.5], pa.array([0.5])), ("SELECT ? AS x", [day], pa.array([day])),
        ("SELECT ? AS x", [True], pa.array([True])), ("SELECT ? AS x", [b"b"], pa.array([b"b"])),
        ("SELECT abs(?) AS x", [-7], pa.array([7], i64)), ("SELECT abs(?) AS x", [-0.5], pa.array([0.5])),
        ("SELECT -? AS x", [7], pa.array([-7], i64)), ("SELECT -? AS x", [-5_000_000_000], pa.array([5_000_000_000], i64)),
        ("SELECT year(?) AS x", [day], pa.array([2020], i64)), ("SELECT max(?) AS x", [7], pa.array([7], i64)),
        ("SELECT repeat('ab', ?) AS x", [2], pa.array(["abab"])), ("SELECT substr(?, ?) AS x", ["abc", 2], pa.array(["bc"])),
        ("SELECT coalesce(?, ?) AS x", [None, 3], pa.array([3], i64)),
    ]:
        got = query(con, sql, bound).column("x").combine_chunks()
        assert got.equals(want), f"{sql} of {bound}: {got.type} {got}, want {want.type} {want}"


def bindings():
    """An array of each type that can be bound, nulls among the values."""
    utc = dt.timezone.utc
    moment, day, time = dt.datetime(1969, 12, 31, 23, 59, 59), dt.date(1969, 1, 2), dt.time(1, 2, 3)
    yield pa.nulls(2)
    yield pa.array([True, None, False])
    for t in (pa.int8(), pa.int16(), pa.int32(), pa.int64()):
        yield pa.array([-(2 ** (t.bit_width - 1)), None, 2 ** (t.bit_width - 1) - 1], t)
    for t in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        yield pa.array([0, None, 2**t.bit_width - 1], t)
    for t in (pa.float16(), pa.float32(), pa.float64()):
        yield pa.array([1.5, None, float("-inf")], t)
    for t in (pa.utf8(), pa.large_utf8(), pa.string_view()):
        yield pa.array(["ä" * 20, None, ""], t)
    for t in (pa.binary(), pa.large_binary(), pa.binary_view()):
        yield pa.array([b"\0\xff" * 20, None, b""], t)
    yield pa.array([b"abc", None], pa.binary(3))
    for t in (pa.decimal32(5, 2), pa.decimal64(12, 2), pa.decimal128(38, 2), pa.decimal256(38, 2)):
        yield pa.array([decimal.Decimal("-1.25"), None], t)
    for t in (pa.date32(), pa.date64()):
        yield pa.array([day, None], t)
    for t in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        yield pa.array([time, None], t)
    for unit in ("s", "ms", "us", "ns"):
        yield pa.array([moment, None], pa.timestamp(unit))
        yield pa.array([moment.replace(tzinfo=utc), None], pa.timestamp(unit, "UTC"))
    yield pa.array([moment.replace(tzinfo=utc)], pa.timestamp("us", "Europe/Berlin"))
    yield pa.array([pa.MonthDayNano([1, 2, 3000]), None], pa.month_day_nano_interval())
    for t in (pa.list_(pa.int32()), pa.large_list(pa.int32()), pa.list_view(pa.int32())):
        yield pa.array([[1, None], None, []], t)
    yield pa.array([[1, 2], None], pa.list_(pa.float32(), 2))
    yield pa.array([[["a"], [], None], None], pa.list_(pa.list_(pa.utf8())))
    yield pa.array([{"a": 1, "b": None}, None], pa.struct([("a", pa.int32()), ("b", pa.utf8())]))
    yield pa.array([{"a": [{"c": day}, None]}], pa.struct([("a", pa.list_(pa.struct([("c", pa.date32())])))]))
    yield pa.array(["a", None, "b"]).dictionary_encode()
    yield pc.run_end_encode(pa.array([1, 1, None]))


@checks.check("values of every type can be bound, one row of them after the other")
def _(con):
    for values in bindings():
        rows = pa.record_batch([values], names=["1"])
        want = values.to_pylist()
        for sql in ("SELECT ? AS v", "SELECT v FROM (SELECT ? AS v) q ORDER BY v"):
            equal((str(values.type), query(con, sql, rows).column("v").to_pylist()), (str(values.type), want))
        equal(query(con, "SELECT ? IS NULL AS v", rows).column("v").to_pylist(), [v is None for v in want])
    seconds = pa.record_batch([pa.array([dt.timedelta(seconds=90)])], names=["1"])
    equal(query(con, "SELECT TIMESTAMP '2020-01-01' + ? AS v", seconds).to_pylist(), [{"v": dt.datetime(2020, 1, 1, 0, 1, 30)}])
    maps = pa.record_batch([pa.array([[("a", 1)]], pa.map_(pa.utf8(), pa.int32()))], names=["1"])
    refused(lambda: query(con, "SELECT ?", maps), Exception, "can't be parameters")


@checks.check("unions, which hold a type with each value, can be bound")
def _(con):
    def union(kinds, numbers, texts, dense):
        types = pa.array(kinds, pa.int8())
        if dense:
            return pa.UnionArray.from_dense(types, pa.array([kinds[:i].count(k) for i, k in enumerate(kinds)], pa.int32()), [pa.array(numbers), pa.array(texts, pa.utf8())])
        return pa.UnionArray.from_sparse(types, [pa.array(numbers, pa.int64()), pa.array(texts, pa.utf8())])

    for sql, values, want in [
        ("SELECT id AS v FROM events WHERE id = ?", union([0], [7], [], True), [7]),
        ("SELECT id AS v FROM events WHERE id = ?", union([0], [7], [None], False), [7]),
        ("SELECT max(kind) AS v FROM events WHERE kind = ?", union([1], [7], ["buy"], True), ["buy"]),
        ("SELECT max(kind) AS v FROM events WHERE kind = ?", union([1], [7], ["buy"], False), ["buy"]),
        ("SELECT ? IS NULL AS v", union([0, 1, 0], [7, 8], ["buy"], True), [False] * 3),
        ("SELECT ? IS NULL AS v", union([0, 1, 0], [7, None, None], [None, "buy", None], False), [False, False, True]),
    ]:
        equal(query(con, sql, pa.record_batch([values], names=["1"])).column("v").to_pylist(), want)
    mixed = pa.record_batch([union([0, 1], [7], ["buy"], True)], names=["1"])
    message = refused(lambda: query(con, "SELECT ?", mixed), con.ProgrammingError)
    assert "row 2 of the parameters" in message, message


@checks.check("parameters beside dates, times and intervals")
def _(con):
    equal(announced(con, "SELECT id FROM events WHERE seen >= ? - INTERVAL 1 DAY"), [pa.timestamp("ms")])
    until = dt.datetime(2024, 5, 2, tzinfo=dt.timezone.utc)
    want = query(con, "SELECT count(*) AS n FROM events WHERE seen < TIMESTAMPTZ '2024-05-01 00:00:00+00'").to_pylist()
    equal(query(con, "SELECT count(*) AS n FROM events WHERE seen < ? - INTERVAL 1 DAY", [until]).to_pylist(), want)
    equal(announced(con, "SELECT DATE '2020-01-01' + ?"), [pa.int64()])
    equal(query(con, "SELECT DATE '2020-01-01' + ? AS d", [31]).to_pylist(), [{"d": dt.date(2020, 2, 1)}])
    equal(query(con, "SELECT CAST(TIMESTAMP '2020-01-01' + ? * INTERVAL 1 DAY AS DATE) AS d", [31]).to_pylist(), [{"d": dt.date(2020, 2, 1)}])


@checks.check("a number that is bound as BIGINT where an INTEGER is needed")
def _(con):
    for sql, want in [("SELECT round(1.236::DOUBLE, ?) AS v", 1.24), ("SELECT lpad('x', ?, '-') AS v", "-x"), ("SELECT chr(? + 63) AS v", "A")]:
        equal(query(con, sql, [2]).to_pylist(), [{"v": want}])
        refused(lambda: query(con, sql, [5_000_000_000]), con.ProgrammingError)
    got = query(con, "SELECT ? AS v", [2])
    equal(got.schema.field("v").type, pa.int64())


@checks.check("joins, windows and CTEs")
def _(con):
    got = query(
        con,
        """WITH buys AS (SELECT id, account.geo.country AS country FROM events WHERE kind = 'buy')
           SELECT b.country, count(*) AS n, max(row_number) AS last FROM (
               SELECT country, row_number() OVER (PARTITION BY country ORDER BY id) AS row_number FROM buys) b
           JOIN (SELECT DISTINCT account.geo.country AS country FROM events) c ON b.country = c.country
           GROUP BY b.country""",
    )
    equal(got.to_pylist(), [{"country": "PT", "n": 298, "last": 298}])


@checks.check("columns of a table")
def _(con):
    schema = con.adbc_get_table_schema("sst")
    equal(schema.names, ["id", "cruise", "lat", "lon", "time", "sst", "__global_attrs__", "chl"])


@checks.check("objects at every depth")
def _(con):
    for depth in ("catalogs", "db_schemas", "tables", "all"):
        [catalog] = con.adbc_get_objects(depth=depth).read_all().to_pylist()
        equal(catalog["catalog_name"], "lance")
    tables = [t for s in catalog["catalog_db_schemas"] for t in s["db_schema_tables"]]
    equal(sorted(t["table_name"] for t in tables), ["events", "sst", "worked"])
    equal({t["table_type"] for t in tables}, {"TABLE"})


@checks.check("a refused statement")
def _(con):
    message = refused(lambda: query(con, "SELECT nope FROM worked"), con.ProgrammingError if hasattr(con, "ProgrammingError") else Exception)
    assert "worked" in message, message
    refused(lambda: query(con, "DROP TABLE worked"), Exception, "writable")
    refused(lambda: query(con, "DROP TABLE workd"), con.ProgrammingError if hasattr(con, "ProgrammingError") else Exception, "workd")
    refused(lambda: query(con, "UPDATE worked SET nope = 1"), Exception, "nope")
    equal(query(con, "SELECT count(*) AS n FROM worked").to_pylist(), [{"n": 4}])


if __name__ == "__main__":
    with flightsql.connect(uri(), autocommit=True) as connection:
        checks.run(connection)
