r"""Statements at which a reader of tables, a pruner or a parser silently gives wrong rows.

The expected answers are those of DuckDB over the plain Arrow data, written down by hand. Each statement runs on every
layout of traptables.py. A condition is tried wherever SQL takes one (WHERE, behind NOT NOT, CASE, ON, HAVING), a
comparison with a literal also the other way round and with the literal bound as a parameter.
"""

import argparse
import datetime as dt
import math
import re
from decimal import Decimal
from itertools import islice

import adbc_driver_flightsql.dbapi as flightsql

from checks import Checks, Flight, refused
from traptables import LAYOUTS, NEED_NULL_STRUCTS

checks = Checks()
HEADER = "adbc.flight.sql.rpc.call_header.x-flightsrv-"
FLIP = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
THOROUGH = "v22parts"  # the layout on which a condition is tried in every place
COMPARISON = re.compile(r"(\w+(?:\.\w+|\[\d\])*) (=|<>|<|<=|>|>=) ((?:-?\d[\d.e]*|'[^']*')(?:::\w+)?)")


class Server:
    """Plain Flight for statements alone, and for those with parameters an ADBC connection for each layout."""

    def __init__(self, address):
        self.flight = Flight(address)
        kwargs = {layout: {HEADER + "schema": layout} for layout in (*LAYOUTS, "changed")}
        self.connections = {k: flightsql.connect(f"grpc://{address}", db_kwargs=v, autocommit=True) for k, v in kwargs.items()}

    def rows(self, layout, sql, parameters=None):
        return [tuple(r.values()) for r in self.table(layout, sql, parameters).to_pylist()]

    def table(self, layout, sql, parameters=None):
        if parameters is None:
            return self.flight.sql(sql, schema=layout)
        with self.connections[layout].cursor() as cur:
            cur.execute(sql, parameters)
            return cur.fetch_arrow_table()


def layouts(*tables):
    if "changed" in tables:
        return ["changed"]
    lacking = any(t in NEED_NULL_STRUCTS for t in tables)
    return [k for k, (version, *_) in LAYOUTS.items() if not (lacking and version == "2.0")]


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or math.isnan(a) and math.isnan(b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def key(row):
    return [(x is None, str(type(x)), repr(x)) for x in row]


def agree(got, want, what, ordered=False):
    if not ordered:
        got, want = sorted(got, key=key), sorted(want, key=key)
    assert same(got, want), f"{what}: got {got!r}, want {want!r}"


def places(table, condition):
    """The ids for which the condition is true, asked for in each place where SQL takes a condition."""
    yield f"SELECT id FROM {table} WHERE {condition}"
    yield f"SELECT id FROM {table} WHERE NOT (NOT ({condition}))"
    yield f"SELECT id FROM {table} WHERE ({condition}) IS TRUE AND id IS NOT NULL"
    yield f"SELECT id FROM {table} WHERE ({condition}) ORDER BY id LIMIT 100"
    yield f"SELECT id FROM (SELECT id, CASE WHEN {condition} THEN 'in' ELSE 'out' END AS place FROM {table}) q WHERE place = 'in'"
    yield f"SELECT {table}.id FROM {table} JOIN (SELECT 1 AS one) o ON {condition}"
    yield f"SELECT o.id FROM {table} JOIN {table} AS o ON {table}.id = o.id AND ({qualified(table, condition)})"
    yield f"SELECT id FROM {table} GROUP BY ALL HAVING bool_or({condition})"
    yield f"WITH q AS (SELECT * FROM {table}) SELECT id FROM q WHERE {condition}"
    yield f"SELECT id FROM (SELECT * FROM {table} UNION ALL SELECT * FROM {table} WHERE id < 0) q WHERE {condition}"
    yield f"SELECT id FROM {table} QUALIFY bool_or({condition}) OVER (PARTITION BY id)"


def qualified(table, condition):
    quoted = re.split(r"('[^']*')", condition)
    return "".join(t if t.startswith("'") else re.sub(r"(?<![\w.])(id|v|z|d|s|h|w|q)(?![\w(])", table + r".\1", t) for t in quoted)


def turned(condition):
    """The comparison with its literal on the left, or None."""
    m = COMPARISON.fullmatch(condition)
    return m and f"{m[3]} {FLIP[m[2]]} {m[1]}"


def bound(condition):
    """The comparison with its literal as a parameter of the same type, or None."""
    m = COMPARISON.fullmatch(condition)
    if not m or "::" in m[3]:
        return None
    text = m[3]
    if text.startswith("'"):
        value = text[1:-1]
    elif re.fullmatch(r"-?\d+", text):
        value = int(text)
    elif "e" in text:
        value = float(text)
    else:
        value = Decimal(text)
    if isinstance(value, int) and abs(value) >= 2**63:
        return None
    return f"{m[1]} {m[2]} ?", value


def where(trap, table, condition, *ids):
    want = [(i,) for i in ids]

    @checks.check(f"{trap} {table}: {condition}")
    def _(server):
        for layout in layouts(table):
            for sql in islice(places(table, condition), None if layout == THOROUGH else 1):
                agree(server.rows(layout, sql), want, f"{layout} {sql}")
            sql = f"SELECT count(*) FROM {table} WHERE {condition}"
            agree(server.rows(layout, sql), [(len(ids),)], f"{layout} {sql}")
            if other := turned(condition):
                for sql in islice(places(table, other), 2 if layout == THOROUGH else 1):
                    agree(server.rows(layout, sql), want, f"{layout} {sql}")
            if parameter := bound(condition):
                sql = f"SELECT id FROM {table} WHERE {parameter[0]}"
                agree(server.rows(layout, sql, [parameter[1]]), want, f"{layout} {sql} {parameter[1]!r}")


def gives(trap, sql, *rows, ordered=False, tables=(), names=None):
    """Rows are tuples; a single value stands for a row of one column."""
    want = [r if isinstance(r, tuple) else (r,) for r in rows]

    @checks.check(f"{trap} {sql}")
    def _(server):
        for layout in layouts(*tables):
            table = server.table(layout, sql)
            agree([tuple(table.column(k)[r].as_py() for k in range(table.num_columns)) for r in range(table.num_rows)], want, layout, ordered)
            assert names is None or table.column_names == names, f"{layout}: the columns are {table.column_names}, not {names}"


def fails(trap, sql, *texts, tables=()):
    @checks.check(f"{trap} refused: {sql}")
    def _(server):
        for layout in layouts(*tables):
            refused(lambda layout=layout: server.rows(layout, sql), Exception, *texts)


NAN, INF = float("nan"), float("inf")

# 1. NaN is the greatest value and equals itself.
where("nan", "f", "v > 1e300", 2, 6)
where("nan", "f", "v = 'nan'::DOUBLE", 2)
where("nan", "f", "v <> 1.0", 2, 3, 5, 6, 7)
where("nan", "f", "NOT (v < 2)", 2, 3, 6)
where("nan", "f", "v NOT BETWEEN 0 AND 10", 2, 6, 7)
where("nan", "f", "v BETWEEN 2 AND 'nan'::DOUBLE", 2, 3, 6)
where("nan", "f", "v = v", 1, 2, 3, 5, 6, 7)
where("nan", "f", "v IN ('nan'::DOUBLE, 3)", 2, 3)
where("nan", "f", "v NOT IN ('nan'::DOUBLE, 3)", 1, 5, 6, 7)
where("nan", "f", "v IS DISTINCT FROM 'nan'::DOUBLE", 1, 3, 4, 5, 6, 7)
gives("nan", "SELECT count(*) FROM f WHERE v = v", 6)
gives("nan", "SELECT max(v) FROM f", NAN)
gives("nan", "SELECT id FROM f ORDER BY v DESC NULLS LAST LIMIT 1", 2)
gives("nan", "SELECT id FROM f ORDER BY v DESC LIMIT 3", 2, 6, 3, ordered=True)
gives("nan", "SELECT count(*) FROM f a JOIN f b ON a.v = b.v", 6)
gives("nan", "SELECT count(*) FROM (SELECT DISTINCT v FROM f) q", 7)

# 2. Signed zero and infinities.
where("zero", "f", "v = 0", 5)
where("zero", "f", "v < -0.0", 7)
where("zero", "f", "v <= 0", 5, 7)
where("zero", "f", "v >= 'inf'", 2, 6)
where("zero", "f", "v = '-inf'", 7)
where("zero", "f", "v IN (0)", 5)
gives("zero", "SELECT min(v) FROM f", -INF)
gives("zero", "SELECT id FROM f ORDER BY v LIMIT 2", 7, 5, ordered=True)

# 3. A FLOAT column next to literals of another width.
where("float", "r", "v = 0.1", 1)
where("float", "r", "v <= 0.1", 1)
where("float", "r", "v > 0.1", 2, 3)
where("float", "r", "v = 0.1::DOUBLE")
where("float", "r", "v = 16777217", 3)
where("float", "r", "v IN (0.1, 0.2)", 1, 2)
where("float", "r", "v BETWEEN 0.1 AND 0.2", 1, 2)

where("float", "r", "v IN (0.1::DOUBLE, 0.2)")  # one DOUBLE in the list makes all of it DOUBLE
where("float", "r", "v BETWEEN 0.1::DOUBLE AND 0.2", 1)

# 4. Integers next to decimals, doubles, big literals and texts.
where("integer", "i", "v > 1.5", 2)
where("integer", "i", "v = 1.0", 1)
where("integer", "i", "v = 1.5")
where("integer", "i", "v IN (1.5, 2)", 2)
where("integer", "i", "v < 3000000000", 1, 2, 4)
where("integer", "i", "v > -3000000000", 1, 2, 4)
where("integer", "i", "v = '1.5'", 2)
where("integer", "i", "v = TRUE", 1)
where("integer", "i", "v IN ('1.5', 2.5)")  # the text is a decimal, as 2.5 is
where("integer", "i", "v BETWEEN '-inf' AND 1.5::DOUBLE", 1, 4)
where("integer", "b", "v = 9007199254740993", 1)
where("integer", "b", "v = 9007199254740992::DOUBLE", 1, 2)
where("integer", "b", "v = 9007199254740992.0", 2)
where("integer", "b", "v < 9223372036854775808", 1, 2, 3)
where("integer", "b", "v >= 9223372036854775807", 3)
where("integer", "b", "v IN (9007199254740993, 1)", 1)
where("integer", "b", "v > 9007199254740992", 1, 3)
where("integer", "u", "v = 18446744073709551615", 1)
where("integer", "u", "v > 9223372036854775807", 1, 3)
where("integer", "u", "v > 9223372036854775808", 1)
where("integer", "u", "v < 0")
where("integer", "u", "v > -1", 1, 2, 3)
where("integer", "u", "v = -1")
gives("integer", "SELECT id FROM i WHERE v", 1, 2, 4)

# 5. Decimals: the literal's scale is not the column's.
where("decimal", "d", "v = 1.230", 1)
where("decimal", "d", "v = 1.235")
where("decimal", "d", "v > 1.235", 2)
where("decimal", "d", "v < -0.005", 3)
where("decimal", "d", "v = '1.235'", 2)
where("decimal", "d", "v = 1.23::DOUBLE", 1)
where("decimal", "d", "v <> 1.235", 1, 2, 3)
where("decimal", "d", "v < 100000000000", 1, 2, 3)
where("decimal", "d", "v NOT IN ('1.235', 0, 1.235)", 1, 2, 3)
where("decimal", "d", "CAST(v AS DECIMAL(10,1)) = 1.2", 1, 2)
where("decimal", "d", "v::DECIMAL(10,1) = 1.2", 1, 2)

# 7. Texts: byte order, blanks, collation.
where("text", "s", "v > 'a'", 3, 4, 9, 10, 12)
where("text", "s", "v < 'a'", 2, 5, 7, 8, 11)
where("text", "s", "v = 'a'", 1)
where("text", "s", "v = 'A'")
where("text", "s", "v COLLATE NOCASE = 'A'", 1)
where("text", "s", "v >= ''", 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12)
where("text", "s", "lower(v) = 'b'", 2)
where("text", "s", "v = ''", 5)
where("text", "s", "v > 'z'", 4)
gives("text", "SELECT 'é' > 'z'", True)
gives("text", "SELECT chr(128512) > chr(65535)", True)
gives("text", "SELECT max(v), min(v) FROM s", ("é", ""))
gives("text", "SELECT id FROM s ORDER BY v LIMIT 3", 5, 7, 8, ordered=True)

# LIKE has no default escape.
where("like", "s", "v LIKE 'a_b'", 9, 10)
where("like", "s", r"v LIKE 'a\_b'", 12)
where("like", "s", r"v LIKE 'a\_b' ESCAPE '\'", 9)
where("like", "s", "v LIKE 'a!_b' ESCAPE '!'", 9)
where("like", "s", "v NOT LIKE '%a%'", 2, 4, 5, 7, 8, 11)
where("like", "s", "v ILIKE 'A'", 1)
where("like", "s", "v LIKE 'a%'", 1, 3, 9, 10, 12)
where("like", "s", "v LIKE ''", 5)
where("like", "s", r"v = 'C:\temp'", 11)
where("like", "s", r"v LIKE 'C:\t%'", 11)
where("like", "s", "v LIKE NULL")

# 9. Texts next to dates and numbers: an error stays an error.
where("coerce", "t", "v = '2024-1-1'", 2)
where("coerce", "t", "v > '2024-01-01'", 3)
where("coerce", "t", "d = '2024-01-01'", 2, 3)
where("coerce", "t", "v >= DATE '2024-01-01'", 2, 3)
where("coerce", "t", "d IN ('2024-01-01 12:00', TIMESTAMP '1969-12-31')", 1)
where("coerce", "t", "d < TIMESTAMP '2024-01-01 12:00:00'", 1, 2, 3)
where("coerce", "t", "v < TIMESTAMP '1970-01-01'", 1)
where("coerce", "t", "z >= TIMESTAMPTZ '2024-01-01 13:00:00+01'", 3)
where("coerce", "t", "v IN ('2024-01-01', '2024-01-01 12:00:00')", 2, 3)
where("coerce", "t", "v::DATE = DATE '2024-01-01'", 2, 3)
where("coerce", "t", "v - INTERVAL '1 day' < TIMESTAMP '2024-01-01'", 1, 2, 3)
gives("coerce", "SELECT epoch_ms(v) FROM t", -500, 1704067200000, 1704110400000)
gives("coerce", "SELECT date_trunc('second', v) FROM t WHERE id = 1", dt.datetime(1969, 12, 31, 23, 59, 59))
fails("coerce", "SELECT id FROM s WHERE v = 10")
fails("coerce", "SELECT id FROM s WHERE v > 9")
fails("coerce", "SELECT id FROM i WHERE id = 1 AND v = 'abc'")
fails("coerce", "SELECT id FROM i WHERE id = 77 AND v = 'abc'")
fails("coerce", "SELECT count(*) FROM t WHERE v > 'yesterday'")

# 11. NULL under NOT, OR, IN and IS.
where("null", "i", "v <> NULL")
where("null", "i", "v = NULL")
where("null", "i", "v IS DISTINCT FROM 1", 2, 3, 4)
where("null", "i", "v IS NOT DISTINCT FROM NULL", 3)
where("null", "i", "v IN (1, 2, NULL)", 1, 2)
where("null", "i", "v NOT IN (1, NULL)")
where("null", "i", "NOT (v = 1 AND v = NULL)", 2, 4)
where("null", "i", "NOT (v = 1 AND NULL)", 2, 4)
where("null", "i", "NOT (v = 1 OR NULL)")
where("null", "i", "(v > 0) IS NULL", 3)
where("null", "i", "(v = 1) IS NOT TRUE", 2, 3, 4)
where("null", "i", "(v > 1) IS NOT FALSE", 2, 3)
where("null", "i", "(v > 1) = FALSE", 1, 4)
where("null", "i", "CASE WHEN v > 1 THEN FALSE ELSE TRUE END", 1, 3, 4)
where("null", "i", "coalesce(v, 1) = 1", 1, 3)
where("null", "i", "nullif(v, 2) IS NULL", 2, 3)
where("null", "i", "greatest(v, 0) = 0", 3, 4)
where("null", "i", "NOT (v > 1 AND id > 2)", 1, 2, 4)
where("null", "i", "NOT (v IS NOT DISTINCT FROM 1)", 2, 3, 4)
where("null", "i", "v BETWEEN NULL AND 1")
where("null", "i", "v NOT BETWEEN NULL AND 1", 2)
where("null", "i", "(v > 1) <> (id > 1)", 4)
where("null", "i", "v IS NULL OR v = 1", 1, 3)
where("null", "i", "CASE v WHEN NULL THEN TRUE WHEN 1 THEN TRUE END", 1)
where("null", "i", "CAST(v AS VARCHAR) = '1'", 1)
where("null", "i", "v % 2 = 1", 1)
where("null", "i", "v / 2 = 0.5", 1)
where("null", "i", "v // 2 = 0", 1, 4)

# 13. LIMIT, OFFSET, ORDER BY and count.
gives("limit", "SELECT id FROM (SELECT * FROM i ORDER BY id LIMIT 2) q WHERE v < 0")
gives("limit", "SELECT id FROM (SELECT * FROM i LIMIT 4) q WHERE v < 0", 4)
gives("limit", "SELECT id FROM i ORDER BY v LIMIT 1", 4)
gives("limit", "SELECT id FROM i ORDER BY v DESC LIMIT 1", 2)
gives("limit", "SELECT id FROM i ORDER BY v NULLS FIRST LIMIT 1", 3)
gives("limit", "SELECT id FROM i ORDER BY v DESC NULLS FIRST LIMIT 2", 3, 2, ordered=True)
gives("limit", "SELECT id FROM i ORDER BY v", 4, 1, 2, 3, ordered=True)
gives("limit", "SELECT id FROM i ORDER BY v DESC", 2, 1, 4, 3, ordered=True)
gives("limit", "SELECT id FROM i ORDER BY id OFFSET 2", 3, 4, ordered=True)
gives("limit", "SELECT id FROM i ORDER BY -id LIMIT 2 OFFSET 1", 3, 2, ordered=True)
gives("limit", "SELECT count(*) FROM i", 4)
gives("limit", "SELECT count(v) FROM i", 3)
gives("limit", "SELECT count(*) FROM (SELECT * FROM i LIMIT 3) q", 3)
gives("limit", "SELECT count(*) FROM (SELECT * FROM i OFFSET 3) q", 1)
gives("limit", "SELECT id FROM i LIMIT 0", names=["id"])
gives("limit", "SELECT count(*) FROM i WHERE v > 0 LIMIT 1", 2)
gives("limit", "SELECT count(*) FROM (SELECT id FROM five WHERE v > 1 LIMIT 3) q", 3)

# 14. Outer, semi and anti joins.
ON = "l.k = rr.k"
gives("join", f"SELECT l.id, rr.w FROM l LEFT JOIN rr ON {ON} AND l.id > 1", (1, None), (2, None), (3, None))
gives("join", f"SELECT l.id, rr.w FROM l LEFT JOIN rr ON {ON} WHERE l.id > 1", (2, None), (3, None))
gives("join", f"SELECT l.id, rr.w FROM l LEFT JOIN rr ON {ON} AND rr.w > 20", (1, None), (2, None), (3, None))
gives("join", f"SELECT l.id, rr.w FROM l LEFT JOIN rr ON {ON} WHERE rr.w > 20")
gives("join", f"SELECT l.id FROM l LEFT JOIN rr ON {ON} WHERE rr.w IS NULL", 2, 3)
gives("join", f"SELECT l.id FROM l LEFT JOIN rr ON {ON} WHERE coalesce(rr.w, 100) > 50", 2, 3)
gives("join", f"SELECT l.id FROM l LEFT JOIN rr ON {ON} WHERE rr.w > 5 OR l.id = 3", 1, 3)
gives("join", f"SELECT l.id FROM l LEFT JOIN rr ON {ON} WHERE (rr.w > 5) IS NOT TRUE", 2, 3)
gives("join", f"SELECT l.id FROM l LEFT JOIN rr ON {ON} WHERE CASE WHEN rr.w > 5 THEN FALSE ELSE TRUE END", 2, 3)
gives("join", f"SELECT l.id, rr.w FROM l RIGHT JOIN rr ON {ON} AND l.id > 1", (None, 10), (None, 30), (None, 40))
gives("join", f"SELECT l.id, rr.w FROM l RIGHT JOIN rr ON {ON} WHERE rr.w > 10", (None, 30), (None, 40))
gives("join", f"SELECT count(*) FROM l FULL JOIN rr ON {ON}", 5)
gives("join", f"SELECT count(*) FROM l FULL OUTER JOIN rr ON {ON}", 5)
gives("join", f"SELECT rr.w FROM l FULL JOIN rr ON {ON} WHERE l.id IS NULL", 30, 40)
gives("join", f"SELECT rr.w FROM l FULL JOIN rr ON {ON} AND l.id < 1 AND rr.w > 10", 10, 30, 40, None, None, None)
gives("join", "SELECT id FROM l WHERE l.k NOT IN (SELECT k FROM rr)")
gives("join", "SELECT id FROM l WHERE l.k NOT IN (SELECT k FROM rr WHERE k IS NOT NULL)", 2)
gives("join", "SELECT id FROM l WHERE l.k IN (SELECT k FROM rr)", 1)
gives("join", "SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM rr WHERE rr.k = l.k)", 2, 3)
gives("join", "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM rr WHERE rr.k = l.k)", 1)
gives("join", "SELECT id FROM l WHERE (l.k IN (SELECT k FROM rr)) IS NULL", 2, 3)
gives("join", "SELECT l.id, w FROM l JOIN rr USING (k)", (1, 10))
gives("join", "SELECT k FROM l FULL JOIN rr USING (k)", 1, 2, 3, None, None)
gives("join", "SELECT l.id FROM l SEMI JOIN rr USING (k)", 1)
gives("join", "SELECT l.id FROM l ANTI JOIN rr USING (k)", 2, 3)
gives("join", "SELECT l.id FROM l ASOF JOIN rr USING (k)", 1, 2)
fails("join", "SELECT l.id FROM l POSITIONAL JOIN rr USING (k)", "line 1, column")
gives("join", "SELECT a.id, b.id FROM i a LEFT JOIN i b ON a.id = b.v AND b.id > 1", (1, None), (2, 2), (3, None), (4, None))

gives("join", "SELECT a.id, q.y FROM i a LEFT JOIN LATERAL (SELECT a.v AS y FROM rr WHERE rr.k = a.id) q ON TRUE", (1, 1), (2, None), (3, None), (4, None))
gives("join", "SELECT i.id, q.w FROM i LEFT JOIN LATERAL (SELECT w FROM rr WHERE rr.k = i.id ORDER BY w LIMIT 1) q ON TRUE", (1, 10), (2, None), (3, 30), (4, None))
gives("join", "SELECT l.id, q.w FROM l LEFT JOIN (SELECT k, w FROM rr WHERE NOT EXISTS (SELECT 1 FROM i WHERE id > 9)) q ON q.k = l.k", (1, 10), (2, None), (3, None))
gives("join", "SELECT l.id, q.one FROM l LEFT JOIN (SELECT k, 1 AS one FROM rr) q ON q.k = l.k", (1, 1), (2, None), (3, None))
gives("join", "SELECT l.id FROM l LEFT JOIN (SELECT k, coalesce(w, 0) AS w FROM rr WHERE w > 10) q ON q.k = l.k WHERE q.w IS NULL", 1, 2, 3)

# 15. Subqueries, CTEs, set operations and windows.
gives("block", "WITH i AS (SELECT id + 100 AS id, -v AS v FROM i) SELECT id FROM i WHERE v > 0", 104)
gives("block", "SELECT id FROM (SELECT id AS v, v AS id FROM i) w WHERE v > 2", None, -1)
gives("block", "WITH w AS (SELECT id AS v, v AS id FROM i) SELECT id FROM w WHERE v > 2", None, -1)
gives("block", "SELECT id FROM (SELECT id, v, row_number() OVER (ORDER BY id DESC) rn FROM i) q WHERE v = 1 AND rn = 4", 1)
gives("block", "SELECT t FROM (SELECT id, sum(v) OVER () AS t FROM i) q WHERE id = 1", Decimal(2))
gives("block", "SELECT id FROM (SELECT DISTINCT ON (v % 2) id, v FROM i ORDER BY v % 2, id) q WHERE v = 2", 2)
gives("block", "SELECT id FROM (SELECT id, v FROM i UNION ALL SELECT id + 10, v::DOUBLE + 0.5 FROM i) q WHERE v = 1.5", 11)
gives("block", "SELECT id FROM (SELECT id FROM i EXCEPT SELECT v FROM i) q", 3, 4)
gives("block", "SELECT id FROM (SELECT id FROM i INTERSECT SELECT v FROM i) q WHERE id > 1", 2)
gives("block", "SELECT v % 2, count(*) FROM i GROUP BY v % 2 HAVING count(*) > 1")
gives("block", "SELECT v > 0, count(*) AS n FROM i GROUP BY 1 HAVING count(*) > 1", (True, 2))
gives("block", "SELECT max(id) FROM i HAVING max(id) > 10")
gives("block", "SELECT id FROM l WHERE (SELECT count(*) FROM rr WHERE rr.k = l.k) = 0", 2, 3)
gives("block", "SELECT id FROM l WHERE id > (SELECT min(k) FROM rr WHERE rr.k = l.k)")
gives("block", "SELECT id FROM l WHERE id > (SELECT min(k) FROM rr WHERE k > 1000)")
gives("block", "SELECT a.id, b.id FROM i a, i b WHERE a.v = 1 AND b.v = 2", (1, 2))
gives("block", "SELECT id FROM i WHERE v = (SELECT max(v) FROM i)", 2)
gives("block", "SELECT id FROM i WHERE v > ALL (SELECT k FROM l WHERE k IS NOT NULL)")
gives("block", "SELECT id FROM i WHERE v >= ANY (SELECT k FROM l)", 1, 2)
gives("block", "SELECT (SELECT w FROM rr WHERE rr.k = i.v) FROM i", 10, None, None, None)
gives("block", "SELECT (SELECT count(q.y) FROM (SELECT i.id AS y FROM rr) q) FROM i", 3, 3, 3, 3)
gives("block", "SELECT (SELECT count(q.y) FROM l x LEFT JOIN (SELECT i.id AS y FROM rr) q ON x.id = 99) FROM i", 0, 0, 0, 0)
gives("block", "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT i.id, x FROM i JOIN n ON i.id = n.x", (1, 1), (2, 2), (3, 3))
gives("block", "WITH q AS (SELECT id, v FROM i) SELECT a.id FROM q a JOIN q b ON a.id = b.v WHERE b.v > 0", 1, 2)
gives("block", "SELECT id FROM i WHERE v > 0 UNION SELECT id FROM l ORDER BY id DESC LIMIT 2", 3, 2, ordered=True)
gives("block", "SELECT id, lag(v) OVER (ORDER BY id) FROM i ORDER BY id", (1, None), (2, 1), (3, 2), (4, None), ordered=True)
gives("block", "SELECT id FROM i QUALIFY row_number() OVER (ORDER BY v DESC) = 1", 2)

# 16. Names.
gives("name", "SELECT a.b FROM c", 3, names=["b"])
gives("name", 'SELECT w."a.b" FROM c', 2, names=["a.b"])
gives("name", "SELECT AB FROM c", 1)
gives("name", "SELECT c.a.b FROM c", 3)
gives("name", 'SELECT "A"."B" FROM c', 3)
gives("name", "SELECT s.id FROM s2 AS s", 1)
gives("name", "SELECT s.id FROM s2", 10)
gives("name", "SELECT s.s.id FROM s2 AS s", 10)
gives("name", "SELECT v * -1 AS v FROM i WHERE v > 0", -1, -2)
gives("name", "SELECT v + 10 AS w FROM i WHERE w > 11", 12)
gives("name", "SELECT v * -1 AS v FROM i ORDER BY v LIMIT 2", -2, -1, ordered=True)
fails("name", "SELECT id AS v, count(*) FROM i GROUP BY v HAVING v = 1", "id", "GROUP BY")
gives("name", "SELECT t.s.y.z FROM n AS t WHERE t.s.y.z > 0", 1, tables=["n"], names=["z"])
gives("name", "SELECT n.s.x FROM n WHERE n.S.Y.Z = 1", 1, tables=["n"])
gives("name", "SELECT v21.i.id FROM v21.i WHERE v21.i.v = 2", 2)
gives("name", "SELECT lance.v21.i.id FROM lance.v21.i WHERE v = 2", 2)
gives("name", "SELECT I.ID FROM i AS I WHERE \"V\" = 2", 2)
gives("name", 'SELECT "id" FROM i WHERE "v" = 1', 1)
gives("name", 'SELECT count(*) FROM i WHERE "v" = 1', 1)
gives("name", "SELECT PartyAbbrev FROM names WHERE \"PartyAbbrev\" = 'D'", "D")
gives("name", "SELECT count(*) FROM names WHERE `partyabbrev` = 'D'", 1)
gives("name", 'SELECT rank, groups, key, "values", "window" FROM names WHERE x = 1', (1, 3, 5, 7, 9))
gives("name", "SELECT n.rank FROM names n ORDER BY rank DESC LIMIT 1", 2)
gives("name", "SELECT count(*), v + 1, sum(v) AS t FROM i GROUP BY v HAVING v = 1", (1, 2, Decimal(1)), names=["count(*)", "v + 1", "t"])
fails("name", "SELECT id FROM i a JOIN l b ON a.id = b.id", "id")
fails("name", "SELECT i.v FROM v20.i JOIN v21.i ON TRUE", "v20.i.v", "v21.i.v")
fails("name", "SELECT a.id FROM i a JOIN i a ON TRUE", "a stands twice")
fails("name", "SELECT w.a.b FROM c", "w.a.b", '"a.b"')
fails("name", 'SELECT "a.b" FROM c', '"a.b"')
fails("name", "SELECT nope FROM i", "i", "nope")
fails("name", "SELECT a.c FROM c", "c")
fails("name", "SELECT id FROM i WHERE i.a.b = 1")

# 17. Null parents and leaf reads.
where("parent", "n", "s IS NULL", 2)
where("parent", "n", "s.x IS NULL", 2, 3)
where("parent", "n", "s.y IS NULL", 2, 3)
where("parent", "n", "s.y.z IS NULL", 2, 3, 4)
where("parent", "n", "s.x <> 1", 4)
where("parent", "n", "s = {'x': NULL, 'y': NULL}", 3)
where("parent", "n", "s.x = 1 OR s IS NULL", 1, 2)
gives("parent", "SELECT s.x FROM n", 1, None, None, 2, tables=["n"])
gives("parent", "SELECT s.y.z FROM n", 1, None, None, None, tables=["n"])
gives("parent", "SELECT s.y FROM n", {"z": 1}, None, None, {"z": None}, tables=["n"])
gives("parent", "SELECT s FROM n WHERE id < 4 AND s.x IS NULL", None, {"x": None, "y": None}, tables=["n"])
gives("parent", "SELECT id, s FROM n WHERE id = 2", (2, None), tables=["n"])
gives("parent", "SELECT count(s), count(s.x), count(s.y.z) FROM n", (3, 2, 1), tables=["n"])

# 18. Stats that are absent: 1-7 with them, 11-17 without, 21-23 without the variable.
BARE = [*range(11, 18)]
ALL = [*range(1, 8), *BARE, 21, 22, 23]
KEPT = {
    "h.values > 2": [1, 2, 4, 5, 7],
    "2 < h.values": [1, 2, 4, 5, 7],
    "h.values = 5": [2, 4, 5, 7],
    "h.values < 1": [2, 4, 6, 7],
    "h.values BETWEEN 4 AND 5": [2, 4, 5, 7],
    "h.values IN (0.5, 9)": [2, 4, 5, 6, 7],
    "h.values IN (0.5, NULL)": [2, 4, 6, 7],
    "h.values > NULL": [2, 4, 7],
    "h.values > 2 AND id > 1": [2, 4, 5, 7],
    "h.values > 2 OR id = 6": [1, 2, 4, 5, 6, 7],
}
EVERY = ["NOT (h.values > 2)", "h.values <> 2", "h.values * 2 > 10", "h.values IS NULL", "(h.values > 2) IS TRUE",
         "CASE WHEN h.values > 2 THEN TRUE END", "h.values > 2 OR h.values <> 3"]
for condition, ids in KEPT.items():
    bare = [i for i in BARE if not (condition.endswith("id > 1") and i <= 1)]
    gives("stats", f"SELECT id FROM ms WHERE {condition}", *ids, tables=["ms"])
    gives("stats", f"SELECT count(*) FROM ms WHERE {condition}", len(ids), tables=["ms"])
    gives("stats", f"SELECT id FROM gaps WHERE {condition}", *ids, *bare, tables=["ms"])
    gives("stats", f"SELECT g.id FROM gaps AS g WHERE {condition.replace('h.', 'g.h.')}", *ids, *bare, tables=["ms"])
    gives("stats", f"WITH q AS (SELECT h AS e, id FROM gaps) SELECT id FROM q WHERE {condition.replace('h.', 'e.')}", *ids, *bare, tables=["ms"])
    gives("stats", f"SELECT id FROM (SELECT id, h FROM gaps UNION ALL SELECT -id, h FROM ms) q WHERE {condition.replace('id', 'abs(id)')}", *ids, *bare, *[-i for i in ids], tables=["ms"])
    gives("stats", f"SELECT g.id FROM gaps g JOIN (SELECT 1 AS one) o ON {condition.replace('h.', 'g.h.')}", *ids, *bare, tables=["ms"])
    gives("stats", f"SELECT g.id FROM gaps g LEFT JOIN l ON l.id = g.id WHERE ({condition.replace('h.', 'g.h.').replace('id', 'g.id')}) OR l.k = 100", *ids, *bare, tables=["ms"])
    fails("stats", f"SELECT id FROM m WHERE {condition}", "h.values is a list and no variable", "any_match", tables=["m"])
for condition in EVERY:
    gives("stats", f"SELECT id FROM gaps WHERE {condition}", *ALL, tables=["ms"])
gives("stats", "SELECT id FROM gaps WHERE h IS NULL", 3, 13, 21, 22, 23, tables=["ms"])
gives("stats", "SELECT id FROM gaps WHERE any_match(h.values > 2)", 1, 5, 11, 15, tables=["ms"])
gives("stats", "SELECT id FROM gaps WHERE NOT any_match(h.values > 2)", 2, 4, 6, 12, 14, 16, tables=["ms"])
gives("stats", "SELECT id FROM gaps WHERE any_match(h.values > 2) IS NULL", 3, 7, 13, 17, 21, 22, 23, tables=["ms"])

# 19. Array predicates; in ms the same array has stats.
for table in ("m", "ms"):
    where("array", table, "any_match(h.values > 2)", 1, 5)
    where("array", table, "NOT any_match(h.values > 2)", 2, 4, 6)
    where("array", table, "any_match(h.values = 9)", 5)
    where("array", table, "any_match(h.values <> 1)", 1, 5, 6)
    where("array", table, "any_match(h.values IN (2, 0.5))", 1, 6)
    where("array", table, "any_match(h.values BETWEEN 4 AND 5)")
    where("array", table, "all_match(h.values >= 1)", 1, 2, 4, 5)
    where("array", table, "NOT all_match(h.values >= 1)", 6)
    where("array", table, "any_match(h.values > 2) IS NULL", 3, 7)
    where("array", table, "h IS NULL", 3)
for sql, ids in {
    "3 = ANY(h.values)": [1],
    "2 < ANY(h.values)": [1, 5, 6],
    "0 < ALL(h.values)": [1, 2, 3, 6, 7],
    "NOT (list_max(h.values) > 2)": [],
    "h.values[1] > 0": [1, 5, 6],
    "h.values[-1] > 2": [1, 5],
    "h.values[0] IS NULL": [1, 2, 3, 4, 5, 6, 7],
    "list_contains(h.values, NULL)": [],
    "list_contains(h.values, 'nan'::DOUBLE)": [6],
    "len(h.values) = 0": [2],
    "h.values = [1, 2, 3]": [1],
    "h.values > [2.0]": [4, 6],
    "h.values IS NULL": [3, 7],
}.items():
    gives("array", f"SELECT id FROM m WHERE {sql}", *ids, tables=["m"])
    moved = sql.replace("h.values", "e")
    gives("array", f"SELECT id FROM (SELECT id, list_transform(h.values, x -> x) AS e FROM ms) q WHERE {moved}", *ids, tables=["m"])
gives("array", "SELECT id FROM (SELECT id, unnest(h.values) AS x FROM m) q WHERE x > 2", 1, 5, 6, tables=["m"])
gives("array", "SELECT id, unnest(h.values) AS x FROM m WHERE id IN (2, 3, 4)", (4, None), (4, None), tables=["m"])
gives("array", "SELECT id, len(h.values), h.values[2] FROM m WHERE id IN (1, 2, 3)", (1, 3, 2.0), (2, 0, None), (3, None, None), tables=["m"])

# 22. Tables of several fragments and deleted rows.
gives("parts", "SELECT count(*), min(id), max(id), sum(v) FROM five", (5, 1, 5, Decimal(15)))
gives("parts", "SELECT id FROM five", 1, 2, 3, 4, 5, ordered=True)
gives("parts", "SELECT id FROM five LIMIT 2 OFFSET 2", 3, 4, ordered=True)
gives("parts", "SELECT v FROM five WHERE id IN (5, 1)", 1, 5)



def changed(sql, *rows, **options):
    gives("changed", sql, *rows, tables=["changed"], **options)


changed("SELECT id, v FROM readded", (1, None), (2, None), (3, None), (4, None), (5, 50))
changed("SELECT count(*) FROM readded WHERE v = 10", 0)
changed("SELECT id, w FROM renamed WHERE w > 15", (2, 20), (4, 40))
changed("SELECT v FROM widened WHERE v < 3000000000", 10, 20, 40)
changed("SELECT * FROM reordered WHERE v >= 40", (4, 40), (5, 50), names=["id", "v"])
changed("SELECT * FROM nothing", names=["id", "v"])
changed("SELECT count(*), sum(v) FROM nothing", (0, None))
changed("SELECT * FROM emptied WHERE v IS NULL", names=["id", "v"])
changed("SELECT count(*), max(v) FROM emptied", (0, None))
changed("SELECT x FROM onlynull", None, None, None, None)
changed("SELECT count(*), count(x) FROM onlynull WHERE x IS NULL", (4, 0))
changed("SELECT id FROM gone LIMIT 1", 12)
changed("SELECT id FROM gone ORDER BY id OFFSET 1", 13, 14, ordered=True)
changed("SELECT count(*), min(id), max(id) FROM bitmap", (1429, 3, 9999))
changed("SELECT count(*) FROM bitmap WHERE v = 3 AND id < 20", 3)
changed("SELECT id FROM bitmap LIMIT 2 OFFSET 1", 10, 17, ordered=True)
changed("SELECT count(*), sum(v) FROM stable", (90, Decimal(sum(k % 7 for k in range(10, 100)) - 50 % 7 + 100)))
changed("SELECT id FROM stable WHERE v = 100", 50)
changed("SELECT id, v, w, s FROM spread", (1, 10, 20, {"a": 10, "b": 1}), (3, None, None, {"a": None, "b": 3}), (4, 40, 80, {"a": 40, "b": 4}))
changed("SELECT sum(w) FROM spread WHERE s.b > 1", Decimal(80))
changed("SELECT id, s FROM grown", (1, {"a": 1, "b": None}), (2, None), (3, {"a": 3, "b": None}), (4, {"a": 4, "b": 40}))
changed("SELECT id FROM grown WHERE s.b IS NULL", 1, 2, 3)
changed("SELECT s.b, s.a FROM grown WHERE s IS NOT NULL", (None, 1), (None, 3), (40, 4))
changed("SELECT x, X, s.a, s.A FROM twins", (1, 2, 3, 4))
changed("SELECT x, s FROM twins WHERE X = 2 AND s.A = 4", (1, {"a": 3, "A": 4}))
changed("SELECT max(x), max(X), sum(s.a), sum(s.A) FROM (SELECT * FROM twins) q", (1, 2, Decimal(3), Decimal(4)))
changed('SELECT "ONLY" FROM twins', 5)
fails("changed", "SELECT S.AA FROM twins", "twins", tables=["changed"])
changed("SELECT count(*), count(v), sum(v) FROM pages", (1500000, 1499666, Decimal(sum(range(1500000)) - sum(range(0, 1000, 3)))))
changed("SELECT count(*) FROM pages WHERE v IS NULL", 334)
changed("SELECT id, len(v), list_sum(v) FROM long", (1, 0, None), (2, 50000, Decimal(sum(range(50000)))), (3, 0, None), (4, None, None), (5, 1, Decimal(7)))

# 24. What a parser reads in another way.
gives("parser", "SELECT 'a' || 'b'", "ab")
gives("parser", "SELECT 'a' || NULL", None)
gives("parser", "SELECT 'a' || '1' || '2'", "a12")
gives("parser", "SELECT 5--1", 5)
gives("parser", "SELECT 1 /*! +1 */", 1)
gives("parser", "SELECT 1 /* +1 */ + 1", 2)
gives("parser", "SELECT NOT 1 = 2", True)
gives("parser", r"SELECT 'C:\temp'", "C:\\temp")
gives("parser", "SELECT 2 ^ 3", 8.0)
gives("parser", "SELECT 7 / 2, 7 // 2, -7 // 2, -7 % 3", (3.5, 3, -3, -1))
gives("parser", "SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00'", dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
gives("parser", "SELECT count(*) FROM i WHERE NOT v = 1", 2)
gives("parser", "SELECT id FROM i WHERE v = -1 OR v = 1 AND id = 2", 4)
gives("parser", "SELECT - 2 ^ 2", 4.0)
gives("parser", "SELECT 1_000", 1000)
gives("parser", "SELECT 'it''s', '\"', '`'", ("it's", '"', "`"))
gives("parser", "SELECT 1e308 * 10", INF)
gives("parser", "SELECT id FROM i WHERE v IN (SELECT 1)", 1)
gives("parser", "SELECT CAST(1.5 AS INTEGER), CAST(2.5 AS INTEGER), CAST('1.5' AS INTEGER)", (2, 3, 2))
gives("parser", "SELECT CAST(v AS VARCHAR), CAST(v AS BIGINT), v::DOUBLE FROM i WHERE id = 4", ("-1", -1, -1.0))
gives("parser", "SELECT CAST('2024-01-01' AS TIMESTAMP)", dt.datetime(2024, 1, 1))
gives("parser", "SELECT count(*) FILTER (WHERE v > 0) FROM i", 2)
gives("parser", "SELECT a, b FROM (VALUES (1, 'x'), (2, 'y')) q(a, b) WHERE a > 1", (2, "y"))
gives("parser", "SELECT [1, 2, 3][2]", 2)
gives("parser", "SELECT {'a': 1, 'b': 'x'}", {"a": 1, "b": "x"})
gives("parser", "SELECT TIMESTAMP '2024-01-01 00:00:00' AT TIME ZONE 'UTC'", dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
gives("parser", "SELECT DATE '2024-01-31' + INTERVAL '1' MONTH", dt.datetime(2024, 2, 29))
gives("parser", "SELECT v > 0, count(*) FROM i GROUP BY ROLLUP (v > 0)", (True, 2), (False, 1), (None, 1), (None, 4))
gives("parser", "SELECT * EXCLUDE (v) FROM i WHERE id = 1", 1)
gives("parser", "SELECT * REPLACE (v + 1 AS v) FROM i WHERE id = 1", (1, 2))
gives("parser", "SELECT string_agg(id::VARCHAR, ',' ORDER BY id DESC) FROM i", "4,3,2,1")
gives("parser", "SELECT id FROM s WHERE v SIMILAR TO 'a.b'", 9, 10)
gives("parser", "SELECT EXTRACT(EPOCH FROM TIMESTAMP '1970-01-01 00:00:01.5')", 1.5)
gives("parser", "SELECT ~5, 5 & 3, 5 | 3, xor(5, 3), 1 << 3", (-6, 1, 7, 6, 8))
gives("parser", "SELECT TRY_CAST('x' AS INTEGER)", None)
gives("parser", "SELECT count (*) FROM i", 4)
gives("parser", "SELECT 1 = '1'", True)
gives("parser", "VALUES (1, 2)", (1, 2))
gives("parser", "SELECT DISTINCT v > 0 FROM i", True, False, None)
gives("parser", "SELECT i.* FROM i WHERE id = 1;", (1, 1))
gives("parser", "SELECT id FROM i WHERE (v, id) = (1, 1)", 1)
fails("parser", "SELECT id FROM i; DROP TABLE i")
fails("parser", "SELECT id FROM i WHERE v >= 2023-01-08 00:00:00.000000")
fails("parser", "SELECT id FROM i WHERE v == ")


def parameter(trap, sql, parameters, *rows, tables=()):
    want = [r if isinstance(r, tuple) else (r,) for r in rows]

    @checks.check(f"{trap} {sql} {parameters!r}")
    def _(server):
        for layout in layouts(*tables):
            agree(server.rows(layout, sql, parameters), want, layout)


parameter("parameter", "SELECT id FROM i WHERE v = $1", [1], 1)
parameter("parameter", "SELECT id FROM i WHERE v = ?", [None])
parameter("parameter", "SELECT ? IS NULL", [None], True)
parameter("parameter", "SELECT id FROM i WHERE v IN (?, ?)", [1, None], 1)
parameter("parameter", "SELECT id FROM i WHERE v NOT IN (?, ?)", [1, None])
parameter("parameter", "SELECT id FROM i WHERE v BETWEEN ? AND ?", [1, 2], 1, 2)
parameter("parameter", "SELECT id FROM i WHERE v > ? OR ?", [5, True], 1, 2, 3, 4)
parameter("parameter", "SELECT id FROM f WHERE v > ?", [1e300], 2, 6)
parameter("parameter", "SELECT id FROM f WHERE v = ?", [NAN], 2)
parameter("parameter", "SELECT id FROM f WHERE v = ?", [-0.0], 5)
parameter("parameter", "SELECT id FROM r WHERE v = ?", [0.1], 1)
parameter("parameter", "SELECT id FROM r WHERE v <= ?", [0.1], 1)
parameter("parameter", "SELECT id FROM i WHERE v > ?", [1.5], 2)
parameter("parameter", "SELECT id FROM i WHERE v = ?", [Decimal("1.5")])
parameter("parameter", "SELECT id FROM b WHERE v = ?", [9007199254740993], 1)
parameter("parameter", "SELECT id FROM d WHERE v = ?", [Decimal("1.235")])
parameter("parameter", "SELECT id FROM d WHERE v = ?", [Decimal("1.230")], 1)
parameter("parameter", "SELECT id FROM s WHERE v = ?", ["a"], 1)
parameter("parameter", "SELECT id FROM s WHERE v = ?", ["x' OR '1'='1"])
parameter("parameter", "SELECT id FROM s WHERE v LIKE ?", ["a\\_b"], 12)
parameter("parameter", "SELECT id FROM t WHERE v >= ?", [dt.datetime(2024, 1, 1, 12)], 3)
parameter("parameter", "SELECT id FROM t WHERE d = ?", [dt.date(2024, 1, 1)], 2, 3)
parameter("parameter", "SELECT id FROM t WHERE z = ?", [dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)], 2)
parameter("parameter", "SELECT id FROM i ORDER BY id LIMIT ? OFFSET ?", [2, 1], 2, 3)
parameter("parameter", "SELECT id FROM ms WHERE h.values > ?", [2], 1, 2, 4, 5, 7, tables=["ms"])
parameter("parameter", "SELECT id FROM ms WHERE h.values IN (?, ?)", [0.5, None], 2, 4, 6, 7, tables=["ms"])
parameter("parameter", "SELECT id FROM ms WHERE any_match(h.values > ?)", [2], 1, 5, tables=["ms"])
parameter("parameter", "SELECT id FROM ms WHERE h.values > ?", [None], 2, 4, 7, tables=["ms"])

# Readers' faults.
for unit in ("s", "ms", "us", "ns", "tz"):
    stamp = "TIMESTAMPTZ '2024-03-03 01:00:00+00'" if unit == "tz" else "TIMESTAMP '2024-03-03 01:00:00'"
    gives("reader", f"SELECT count(*) FROM hours WHERE {unit} > {stamp}", 50)
    gives("reader", f"SELECT count(*) FROM hours WHERE {unit} < {stamp}", 49)
    gives("reader", f"SELECT count(*) FROM hours WHERE {unit} = {stamp}", 1)
    gives("reader", f"SELECT count(*) FROM hours WHERE {unit} > '2024-03-03 01:00:00'", 50)
    gives("reader", f"SELECT id FROM hours WHERE {unit} = (SELECT max({unit}) FROM hours)", 100)
gives("reader", "SELECT v, w FROM lists ORDER BY id", ([{"a": 1}, None, {"a": 2}], [None, None]), ([], []), (None, None), ([None], [1]), ordered=True, tables=["lists"])
gives("reader", "SELECT q FROM lists WHERE id >= 2 ORDER BY id", None, [5.0, 6.0, 7.0, 8.0], [9.0, None, 11.0, 12.0], ordered=True, tables=["lists"])
gives("reader", "SELECT len(v), len(w) FROM lists ORDER BY id", (3, 2), (0, 0), (None, None), (1, 1), ordered=True, tables=["lists"])
gives("reader", "SELECT v, w FROM lists LIMIT 2 OFFSET 1", ([], []), (None, None), ordered=True, tables=["lists"])
gives("reader", "SELECT v, w FROM texts ORDER BY id", ("", b""), ("", b"B"), (None, None), ("", b"C"), ordered=True)
gives("reader", "SELECT count(*) FROM texts WHERE v = ''", 3)
gives("reader", "SELECT count(*) FROM texts WHERE v IS NULL", 1)
gives("reader", "SELECT id FROM n WHERE id > 0 AND s IS NULL", 2, tables=["n"])
gives("reader", "SELECT id FROM n WHERE s.x + s.y.z = 2", 1, names=["id"], tables=["n"])
gives("reader", "SELECT id FROM i WHERE v IN (SELECT k FROM rr) AND id > 0", 1, names=["id"])

# Functions of other databases, with the answers that their manuals give.
for call, value in {
    "nvl(NULL, 3)": 3,
    "nvl2(NULL, 1, 2)": 2,
    "nvl2('x', 1, 2)": 1,
    "truncate(-1.567, 2)": Decimal("-1.56"),
    "to_char(TIMESTAMP '2024-03-05 07:08:09.123', 'YYYY-MM-DD HH24:MI:SS.MS')": "2024-03-05 07:08:09.123",
    "to_char(DATE '2024-03-05', 'FMMonth FMDD, YYYY \"100%\"')": "March 5, 2024 100%",
    "to_char(TIMESTAMP '2024-03-05 19:08:09', 'dd.mm.yy hh12:mi AM')": "05.03.24 07:08 PM",
    "to_date('05/03/2024', 'DD/MM/YYYY')": dt.date(2024, 3, 5),
    "date_format(TIMESTAMP '2024-03-05 17:08:09', '%W %e %M %Y %H:%i:%s %p %%')": "Tuesday 5 March 2024 17:08:09 PM %",
    "str_to_date('05.3.2024', '%d.%c.%Y')": dt.datetime(2024, 3, 5),
    "datediff(DATE '2024-03-05', DATE '2024-02-28')": 6,
    "datediff('day', DATE '2024-02-28', DATE '2024-03-05')": 6,
    "locate('b', 'aab')": 3,
    "charindex('b', 'aab')": 3,
    "'[' || space(3) || ']'": "[   ]",
    "regexp_like('abc', 'b')": True,
    "regexp_substr('ab12', '[0-9]+')": "12",
    "regexp_substr('ab', '[0-9]+')": None,
    "{fn log(1)}": 0.0,
    "{fn log({fn exp(2)})}": 2.0,
    "log(100)": 2.0,
    "{fn dayofweek({d '2024-01-07'})}": 1,
    "{fn dayofweek({d '2024-01-06'})}": 7,
    "dayofweek(DATE '2024-01-07')": 0,
}.items():
    gives("spelling", f"SELECT {call}", value)
gives("spelling", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM (VALUES (1), (2), (4), (5)) v(x)", (3.0, 2))
fails("spelling", "SELECT to_char(DATE '2024-03-05', 'Month')", "is not supported", "column 8")
for small in ["hh12 am", "SSSS", "tz"]:
    fails("spelling", f"SELECT to_char(TIMESTAMP '2024-03-05 07:08:09', '{small}')", "is not supported", "column 8")
fails("spelling", "SELECT date_format(DATE '2024-03-05', '%D')", "%D is not supported")
fails("spelling", "SELECT to_char(i.v, i.v) FROM i", "must be a text")
fails("spelling", "SELECT nvl(1)", "takes 2 arguments, not 1")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, help="HOST:PORT")
    checks.run(Server(parser.parse_args().server))
