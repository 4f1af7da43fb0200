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


for case in CASES:
    make(*case)


if __name__ == "__main__":
    args = arguments()
    checks.run(Flight(args.server), lance.dataset(f"{args.data}/sst.lance").to_table().to_pylist())
