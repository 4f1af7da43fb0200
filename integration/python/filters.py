"""Every form of the filters on values, counted by the server and by plain Python over what pylance reads.

The Python side computes min and max from the values themselves, and knows nothing of the stats columns.
"""

import lance

from checks import Checks, Flight, arguments, equal

checks = Checks()


def bounds(variable):
    """None where the row lacks the variable, else (min, max) over the values that count, (None, None) without any."""
    if variable is None:
        return None
    counting = [v for v in variable["values"] or [] if v is not None and v == v]
    return (min(counting), max(counting)) if counting else (None, None)


def form(name, test):
    """A values part: skipped where the variable lacks, kept where no value counts, else the test on (min, max)."""

    def keep(row):
        b = bounds(row[name])
        return b is not None and (b[0] is None or test(*b))

    return keep


def eq(x):
    return lambda lo, hi: lo <= x <= hi


def either(*parts):
    return lambda row: any(p(row) for p in parts)


def both(*parts):
    return lambda row: all(p(row) for p in parts)


def everything(row):
    return True


def kelvin(row):
    return row["sst"] is not None and row["sst"]["attrs"]["units"] == "K"


def id_below(n):
    return lambda row: row["id"] < n


CASES = [
    ("lat.values = 17.5", form("lat", eq(17.5))),
    ("17.5 = lat.values", form("lat", eq(17.5))),
    ("lat.values < -70", form("lat", lambda lo, hi: lo < -70)),
    ("lat.values <= -70", form("lat", lambda lo, hi: lo <= -70)),
    ("lat.values > 70", form("lat", lambda lo, hi: hi > 70)),
    ("lat.values >= 70", form("lat", lambda lo, hi: hi >= 70)),
    ("70 < lat.values", form("lat", lambda lo, hi: hi > 70)),
    ("-70 >= lat.values", form("lat", lambda lo, hi: lo <= -70)),
    ("lat.values BETWEEN 17.5 AND 25.4", form("lat", lambda lo, hi: hi >= 17.5 and lo <= 25.4)),
    ("lat.values BETWEEN 25.4 AND 17.5", form("lat", lambda lo, hi: hi >= 25.4 and lo <= 17.5)),
    ("lat.values IN (17.5, 40)", form("lat", lambda lo, hi: lo <= 17.5 <= hi or lo <= 40 <= hi)),
    ("lat.values IN (17.5, NULL)", form("lat", eq(17.5))),
    ("lat.values = NULL", form("lat", lambda lo, hi: False)),
    ("sst.values > 295", form("sst", lambda lo, hi: hi > 295)),
    ("sst.values < 20", form("sst", lambda lo, hi: lo < 20)),
    ("chl.values > 1", form("chl", lambda lo, hi: hi > 1)),
    ("time.values < TIMESTAMP '2024-03-01'", form("time", lambda lo, hi: lo.isoformat() < "2024-03-01T00:00:00")),
    ("NOT (lat.values > 0)", everything),
    ("lat.values <> 0", everything),
    ("lat.values * 2 > 10", everything),
    ("sst.values IS NULL", everything),
    ("(sst.values > 295) IS TRUE", everything),
    ("CASE WHEN sst.values > 295 THEN TRUE ELSE FALSE END", everything),
    ("lat.values > lon.values", everything),
    ("sst IS NULL", lambda row: row["sst"] is None),
    ("sst.attrs.units = 'K'", kelvin),
    ("sst.values > 295 AND lat.values > 0", both(form("sst", lambda lo, hi: hi > 295), form("lat", lambda lo, hi: hi > 0))),
    ("sst.values > 295 AND lat.values <> 3", form("sst", lambda lo, hi: hi > 295)),
    ("sst.values > 295 OR lat.values > 60", either(form("sst", lambda lo, hi: hi > 295), form("lat", lambda lo, hi: hi > 60))),
    ("sst.values > 295 OR lat.values <> 3", everything),
    ("sst.values > 295 OR id < 10", either(form("sst", lambda lo, hi: hi > 295), id_below(10))),
    ("FALSE OR sst.values > 295", form("sst", lambda lo, hi: hi > 295)),
    ("sst.values > 295 AND NOT (id < 100)", both(form("sst", lambda lo, hi: hi > 295), lambda r: not id_below(100)(r))),
    ("sst.values > 295 AND sst.attrs.units = 'K'", both(form("sst", lambda lo, hi: hi > 295), kelvin)),
    ("lat.values > id / 4", lambda r: form("lat", lambda lo, hi: hi > r["id"] / 4)(r)),
]


def make(condition, keep):
    @checks.check(f"count WHERE {condition}")
    def _(server, rows):
        want = [r["id"] for r in rows if keep(r)]
        equal(server.value(f"SELECT count(*) AS n FROM sst WHERE {condition}"), len(want))
        equal(sorted(server.sql(f"SELECT id FROM sst WHERE {condition}").column("id").to_pylist()), want)


# Places in which a condition must keep the rows that it keeps in a plain WHERE.
PLACES = [
    "SELECT id FROM sst SEMI JOIN (SELECT 1 AS one) e ON {}",
    "SELECT id FROM sst SEMI JOIN (SELECT DISTINCT id AS other FROM sst) e ON sst.id = e.other AND ({})",
    "SELECT id FROM sst ANTI JOIN (SELECT -1 AS none) e ON sst.id = e.none WHERE {}",
    "SELECT id FROM sst ASOF LEFT JOIN (SELECT 5 AS five) e ON sst.id >= e.five WHERE {}",
    "SELECT id FROM sst POSITIONAL JOIN (SELECT 1 AS one) e WHERE {}",
    "SELECT id FROM sst TABLESAMPLE bernoulli(100%) WHERE {}",
    "SELECT id FROM (SELECT * FROM sst UNION ALL BY NAME SELECT 'x' AS other) q WHERE ({}) AND other IS NULL",
    "SELECT id FROM (SELECT 'x' AS other UNION ALL BY NAME SELECT * FROM sst) q WHERE ({}) AND other IS NULL",
    "SELECT id FROM (SELECT *, 1 AS one, 2 AS two FROM sst) q UNPIVOT (v FOR n IN (one, two)) u WHERE ({}) AND u.n = 'two'",
    "SELECT id FROM sst, (SELECT sst.id + 1 AS more) t WHERE t.more > 0 AND ({})",
    "SELECT q.id FROM (SELECT 5 AS five) f, (SELECT * FROM sst WHERE ({}) AND five = 5) q",
    "SELECT id FROM sst, unnest([1]) WITH ORDINALITY AS u(x, i) WHERE ({}) AND u.i = 1",
    "SELECT id FROM sst, json_each('[1]') AS j(k, v, t, a, i) WHERE {}",
    "SELECT id FROM s: sst WHERE TRY(CAST(id AS INTEGER)) IS NOT NULL AND s IS NOT NULL AND ({}) AND '' || id GLOB '*'",
    "SELECT unnest({{'id': id}}) FROM sst WHERE ({}) AND (1, id) IN ((1, *COLUMNS(['id'])))",
    "SELECT DISTINCT ON (COLUMNS(['id'])) id.greatest(id) AS id FROM sst WHERE {}",
]


def make_places(condition, keep):
    @checks.check(f"joins, samples and unions with {condition}")
    def _(server, rows):
        want = [r["id"] for r in rows if keep(r)]
        for place in PLACES:
            sql = place.format(condition)
            got = sorted(server.sql(sql).column("id").to_pylist())
            assert got == want, f"{len(got)} rows instead of {len(want)} -- {sql}"
        if "id" not in condition.split():
            lacking = dict.fromkeys(rows[0])
            got = server.value(f"SELECT count(*) AS n FROM (SELECT * FROM sst UNION ALL BY NAME SELECT 'x' AS other) q WHERE ({condition}) AND other = 'x'")
            equal(got, int(bool(keep(lacking))))


for case in CASES:
    make(*case)
    make_places(*case)


if __name__ == "__main__":
    args = arguments()
    checks.run(Flight(args.server), lance.dataset(f"{args.data}/sst.lance").to_table().to_pylist())
