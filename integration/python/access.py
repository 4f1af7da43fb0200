"""What is read of a table: rows by their ids, fragments that earlier statements know, counts from the metadata.

    access.py make DIR
    access.py run DIR HOST:PORT       a server that serves DIR
"""

import json
import os
import random
import sys

import lance
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks, Flight, equal

checks = Checks()
FRAGMENTS, ROWS = 8, 500  # rows of a fragment


def variable(values):
    t = pa.struct([("values", pa.list_(pa.float64())), ("dim_names", pa.list_(pa.utf8())), ("dim_sizes", pa.list_(pa.uint32()))])
    return pa.array([{"values": v, "dim_names": ["x"], "dim_sizes": [len(v)]} for v in values], t)


def part(first, n):
    """Rows from id first on: lat and time grow with the id, word does not."""
    rnd = random.Random(first)
    ids = range(first, first + n)
    lat = [[i / 10, i / 10 + 1] for i in ids]
    cols = {
        "id": pa.array(ids, pa.int64()), "time": pa.array([i * 1000 for i in ids], pa.timestamp("ms")),
        "word": pa.array(["%08x" % rnd.getrandbits(32) for _ in ids]), "lat": variable(lat),
        "__stats__:lat": pa.array([{"min": v[0], "max": v[1]} for v in lat], pa.struct([("min", pa.float64()), ("max", pa.float64())])),
    }
    fields = [pa.field(n, c.type, metadata={"ARROW:extension:name": "nd_arrow.array"} if n == "lat" else None) for n, c in cols.items()]
    return pa.Table.from_arrays(list(cols.values()), schema=pa.schema(fields))


def make(folder):
    for name, stable in [("plain", False), ("stable", True)]:
        uri = os.path.join(folder, name + ".lance")
        for k in range(FRAGMENTS):
            lance.write_dataset(part(k * ROWS, ROWS), uri, mode="append" if k else "overwrite", enable_stable_row_ids=stable)
        lance.dataset(uri).delete("id % 100 = 7")
        lance.dataset(uri).update({"word": "'updated'"}, where="id % 100 = 8")


def analyze(server, query):
    plan = json.loads(server.value("EXPLAIN FORMAT='json' ANALYZE " + query))
    return plan["scans"]


def ids(table):
    return sorted(table.column("id").to_pylist())


@checks.check("rows by their ids")
def _(server, data):
    for name in ("plain", "stable"):
        all = lance.dataset(f"{data}/{name}.lance").to_table(columns=["id", "word"], with_row_id=True, with_row_address=True).to_pylist()
        some = random.Random(1).sample(all, 20)
        for column in ("_rowid", "_rowaddr"):
            wanted = sorted(r["id"] for r in some)
            keys = ", ".join(str(r[column]) for r in some)
            equal(ids(server.sql(f"SELECT id, word FROM {name} WHERE {column} IN ({keys}, 9999999999999)")), wanted)
            scan = {"table": name, "columns": ["id", "word"], "filter": f"{column} IN ({keys})"}
            equal(ids(server.read(flight.FlightDescriptor.for_command(json.dumps(scan)))), wanted)
            # A join and a sort: DuckDB runs the rest.
            equal(ids(server.sql(f"SELECT a.id FROM {name} a JOIN {name} b ON a.id = b.id WHERE a.{column} IN ({keys}) ORDER BY 1")), wanted)
        one = max(all, key=lambda r: r["id"])
        scans = analyze(server, f"SELECT word FROM {name} WHERE _rowid = {one['_rowid']} AND word <> ''")
        equal([s["rows_selected"] for s in scans], [1])
        equal([s["fragments_read"] for s in scans], [1])
        assert scans[0]["read_requests"] <= 6, scans
        between = [r for r in all if one["_rowid"] - 10 <= r["_rowid"] <= one["_rowid"]]
        got = server.sql(f"SELECT id FROM {name} WHERE _rowid BETWEEN {one['_rowid'] - 10} AND {one['_rowid']}")
        equal(ids(got), sorted(r["id"] for r in between))


@checks.check("a fragment by its id")
def _(server, data):
    want = {f.fragment_id: sorted(f.to_table(columns=["id"]).column("id").to_pylist()) for f in lance.dataset(f"{data}/plain.lance").get_fragments()}
    for fragment in [0, 3, *want, 999]:
        equal(ids(server.sql(f"SELECT id FROM plain WHERE _fragid = {fragment}")), want.get(fragment, []))
    scans = analyze(server, "SELECT id FROM plain WHERE _fragid = 3")
    equal([s["fragments_read"] for s in scans], [1])


@checks.check("offsets open no fragment that they pass over")
def _(server, data):
    all = lance.dataset(f"{data}/plain.lance").to_table(columns=["id"]).column("id").to_pylist()
    got = server.sql("SELECT id FROM plain LIMIT 5 OFFSET 3000").column("id").to_pylist()
    equal(got, all[3000:3005])
    equal([s["fragments_read"] for s in analyze(server, "SELECT id FROM plain LIMIT 5 OFFSET 3000")], [1])


@checks.check("counts come from the metadata")
def _(server, data):
    n = lance.dataset(f"{data}/plain.lance").count_rows()
    for query, want in {
        "SELECT count(*) FROM plain": n, "SELECT count(*) AS n FROM plain AS p WHERE TRUE": n, "SELECT count(1) + 1 FROM plain": n + 1,
        "SELECT count(*) FROM (SELECT id FROM plain) q": n, 'SELECT count(*) FROM "plain@1"': ROWS,
        "WITH q AS (SELECT * FROM plain) SELECT count(*) FROM q": n, "SELECT (SELECT count(*) FROM plain)": n,
    }.items():
        equal(server.value(query), want)
        equal([(query, s["bytes_read"]) for s in analyze(server, query)], [(query, 0)])


FILTERS = ["lat.values > 390", "lat.values BETWEEN 100 AND 101", "time >= TIMESTAMP '1970-01-01 00:33:20'", "id IN (3, 1999, 3999)",
           "lat.values < 1 OR lat.values >= 399", "any_match(lat.values = 5000)", "id < 0"]


@checks.check("a second statement reads less")
def _(server, data):
    for name in ("plain", "stable"):
        for condition in FILTERS:
            query = f"SELECT id FROM {name} WHERE {condition}"
            first, second = analyze(server, query), analyze(server, query)
            equal([s["rows_selected"] for s in first], [s["rows_selected"] for s in second])
            equal(second[0]["fragments"], first[0]["fragments"])
        for condition, fragments in {"lat.values > 5000": 0, "id < -5": 0, "lat.values BETWEEN 101 AND 102": 2}.items():
            scans = analyze(server, f"SELECT id FROM {name} WHERE {condition}")
            assert scans[0]["fragments_read"] <= fragments, scans
            if fragments == 0:
                equal((scans[0]["bytes_read"], scans[0]["read_requests"], scans[0]["rows_selected"]), (0, 0, 0))


@checks.check("what changes in a table is seen")
def _(server, data):
    uri = f"{data}/plain.lance"
    def compare():
        ds = lance.dataset(uri)
        rows = ds.to_table(columns=["id", "time", "__stats__:lat"]).to_pylist()
        lo = lambda r: r["__stats__:lat"]["min"]
        hi = lambda r: r["__stats__:lat"]["max"]
        keeps = {
            "lat.values > 390": lambda r: hi(r) > 390, "lat.values < 1 OR lat.values >= 399": lambda r: lo(r) < 1 or hi(r) >= 399,
            "id IN (3, 1999, 3999, 5003)": lambda r: r["id"] in (3, 1999, 3999, 5003), "id < 0": lambda r: r["id"] < 0,
        }
        for condition, keep in keeps.items():
            for _ in range(2):
                equal(ids(server.sql(f"SELECT id FROM plain WHERE {condition}")), sorted(r["id"] for r in rows if keep(r)))
    compare()
    lance.write_dataset(part(5000, 10), uri, mode="append")
    compare()
    lance.dataset(uri).delete("id = 3 OR id = 5004")
    compare()
    lance.dataset(uri).update({"id": "-1"}, where="id = 1999")
    compare()
    lance.dataset(uri).add_columns({"more": "id + 1"})
    compare()
    lance.dataset(uri).optimize.compact_files()
    compare()
    lance.dataset(uri, version=2).restore()
    compare()
    lance.write_dataset(part(3990, 20), uri, mode="overwrite")
    compare()


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        checks.run(Flight(sys.argv[3]), sys.argv[2])
