"""Plain Flight through pyarrow.flight: listings, paths, scan commands, SQL text, versions and errors."""

import concurrent.futures
import json
import os

import lance
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks, Flight, arguments, equal, refused

checks = Checks()


def command(**scan):
    return flight.FlightDescriptor.for_command(json.dumps(scan))


@checks.check("list flights")
def _(server, data):
    paths = {tuple(p.decode() for p in f.descriptor.path) for f in server.client.list_flights()}
    equal({p[-1] for p in paths}, {"sst", "events", "worked"})


@checks.check("a table by path")
def _(server, data):
    got = server.read(flight.FlightDescriptor.for_path("events"))
    want = lance.dataset(f"{data}/events.lance").to_table()
    equal(got.schema.names, want.schema.names)
    equal([str(t) for t in got.schema.types], [str(t) for t in want.schema.types])
    equal(got.to_pylist(), want.to_pylist())


@checks.check("what describes tables")
def _(server, data):
    got = server.read(flight.FlightDescriptor.for_command("SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY table_name"))
    equal([tuple(r.values()) for r in got.to_pylist()], [("main", t, "BASE TABLE") for t in ("events", "sst", "worked")])
    got = server.read(flight.FlightDescriptor.for_command(
        "SELECT t.table_name AS t, count(*) AS n FROM information_schema.tables t JOIN information_schema.columns USING (table_schema, table_name) "
        "GROUP BY 1 ORDER BY 1"))
    for row in got.to_pylist():
        names = [n for n in lance.dataset(f"{data}/{row['t']}.lance").schema.names if not n.startswith("__stats__")]
        equal(row["n"], len(names))
    got = server.read(flight.FlightDescriptor.for_command("SELECT version, rows FROM lance_versions('main.sst') ORDER BY version"))
    sst = lance.dataset(f"{data}/sst.lance")
    want = [{"version": v["version"], "rows": sst.checkout_version(v["version"]).count_rows()} for v in sst.versions()]
    equal(got.to_pylist(), want)
    got = server.read(flight.FlightDescriptor.for_command("SELECT sum(f.rows) AS n, count(*) AS f FROM lance_fragments('sst@1') f"))
    first = sst.checkout_version(1)
    equal([int(v) for v in got.to_pylist()[0].values()], [first.count_rows(), len(first.get_fragments())])
    got = server.read(flight.FlightDescriptor.for_command("SELECT column_path FROM lance_columns('events') WHERE leaf AND column_path LIKE 'device.os.build%'"))
    assert "device.os.build.patch.level" in got.column(0).to_pylist(), got


@checks.check("a path leaves the stats columns out")
def _(server, data):
    got = server.read(flight.FlightDescriptor.for_path("main", "sst"))
    assert not [n for n in got.schema.names if n.startswith("__stats__")], got.schema.names
    equal(got.num_rows, 320)


@checks.check("a leaf by a scan command")
def _(server, data):
    got = server.read(command(table="events", columns=["id", "device.os.build.patch.level"], limit=30, offset=5))
    equal(got.column("device").type, pa.struct([("os", pa.struct([("build", pa.struct([("patch", pa.struct([("level", pa.int16())]))]))]))]))
    want = lance.dataset(f"{data}/events.lance").to_table(columns=["id", "device"], limit=30, offset=5).to_pylist()
    for g, w in zip(got.to_pylist(), want, strict=True):
        for k in ("os", "build", "patch", "level"):
            w["device"] = w["device"] and {k: w["device"][k]} if k == "os" else w["device"]
        equal(leaf(g["device"]), leaf(w["device"]))


def leaf(device):
    """The chain of nulls down to the level: how deep the parents are, and the leaf."""
    depth = 0
    for k in ("os", "build", "patch", "level"):
        if device is None:
            return depth, None
        device, depth = device[k], depth + 1
    return depth, device


@checks.check("nested columns flat, and as JSON")
def _(server, data):
    native = server.sql("SELECT * FROM events ORDER BY id")
    flat = server.sql("SELECT * FROM events ORDER BY id", nested="flatten")
    want = native
    while any(pa.types.is_struct(f.type) for f in want.schema):
        want = want.flatten()
    equal(flat.schema.names, want.schema.names)
    equal(flat.to_pydict(), want.to_pydict())
    one = server.sql('SELECT id, e."device.os.name" FROM events e WHERE "device.os.build.patch.level" = 4 ORDER BY "device.os.name", 1', nested="flatten")
    equal(one.to_pydict(), server.sql('SELECT id, device.os.name AS "device.os.name" FROM events WHERE device.os.build.patch.level = 4 ORDER BY 2, 1').to_pydict())
    text = server.sql("SELECT * FROM events ORDER BY id", nested="json")
    assert not any(pa.types.is_nested(f.type) for f in text.schema), text.schema
    for name in ("device", "tags", "items", "account"):
        got = [None if x is None else json.loads(x) for x in text.column(name).to_pylist()]
        equal(got, json.loads(json.dumps(native.column(name).to_pylist(), default=str)))
    equal([None if x is None else json.loads(x) for x in text.column("props").to_pylist()], [None if x is None else dict(x) for x in native.column("props").to_pylist()])
    sst = server.sql("SELECT * FROM sst", nested="flatten")
    equal(sst.column("lat.values").to_pylist(), lance.dataset(f"{data}/sst.lance").to_table(columns=["lat.values"]).column(0).to_pylist())


@checks.check("columns that information_schema tells of, flat and as JSON")
def _(server, data):
    for table in ("events", "sst"):
        for mode in ("native", "flatten", "json"):
            told = server.sql(f"SELECT column_name, ordinal_position FROM information_schema.columns WHERE table_name = '{table}' ORDER BY 2", nested=mode)
            names = server.sql(f"SELECT * FROM {table} LIMIT 1", nested=mode).schema.names
            equal(told.column(0).to_pylist(), names)
            equal(told.column(1).to_pylist(), list(range(1, len(names) + 1)))
            equal(server.sql(f"DESCRIBE {table}", nested=mode).column(0).to_pylist(), names)
    texts = server.sql("SELECT DISTINCT data_type FROM information_schema.columns WHERE table_name = 'events' AND column_name = 'device'", nested="json")
    equal(texts.column(0).to_pylist(), ["VARCHAR"])
    left = server.sql('SELECT * EXCLUDE ("device.os.name") FROM events ORDER BY id', nested="flatten")
    whole = server.sql("SELECT * FROM events ORDER BY id", nested="flatten")
    equal(left.to_pydict(), whole.drop_columns(["device.os.name"]).to_pydict())


@checks.check("compressed results")
def _(server, data):
    want = server.sql("SELECT * FROM events")
    for codec in ("lz4", "zstd"):
        got = server.sql("SELECT * FROM events", compression=codec)
        equal(got.to_pydict(), want.to_pydict())


@checks.check("a result in several endpoints")
def _(server, data):
    for sql, parts in [
        ("SELECT * FROM events", 4), ("SELECT id FROM events WHERE device.os.build.patch.level > 3", 3), ("SELECT id FROM sst WHERE lat.values > 20", 5),
        ('SELECT id FROM "events@1"', 1000), ("SELECT count(*) FROM events", 4), ("SELECT id FROM events ORDER BY id LIMIT 5", 4), ("SELECT id FROM events LIMIT 7", 4),
    ]:
        want = server.sql(sql)
        options = flight.FlightCallOptions(headers=[(b"x-flightsrv-partitions", str(parts).encode())])
        info = server.client.get_flight_info(flight.FlightDescriptor.for_command(sql), options)
        assert 1 <= len(info.endpoints) <= parts, len(info.endpoints)
        if "count" in sql or "LIMIT" in sql:
            equal(len(info.endpoints), 1)
        elif "sst" not in sql:  # it has too few rows
            assert len(info.endpoints) > 1, f"{sql}: one endpoint"
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            tables = list(pool.map(lambda e: flight.connect(server.uri).do_get(e.ticket).read_all(), info.endpoints))
        got = pa.concat_tables(tables)
        assert got.schema.equals(info.schema), sql
        equal(got.to_pydict(), want.to_pydict())
    scan = command(table="events", columns=["id"], filter_expr="id % 2 = 0")
    options = flight.FlightCallOptions(headers=[(b"x-flightsrv-partitions", b"3")])
    info = server.client.get_flight_info(scan, options)
    assert info.ordered and len(info.endpoints) > 1
    equal([x for e in info.endpoints for x in server.client.do_get(e.ticket).read_all().column("id").to_pylist()], server.read(scan).column("id").to_pylist())
    for bad in (b"0", b"x", b"100000"):
        options = flight.FlightCallOptions(headers=[(b"x-flightsrv-partitions", bad)])
        refused(lambda: server.client.get_flight_info(scan, options), pa.ArrowInvalid, "partitions")


@checks.check("filter_expr reads values as stats")
def _(server, data):
    got = server.read(command(table="worked", columns=["id"], filter_expr="lat.values BETWEEN 17.5 AND 25.4"))
    equal(got.column("id").to_pylist(), [1, 3])


@checks.check("filter and lance_filter are exact")
def _(server, data):
    equal(server.read(command(table="worked", columns=["id"], filter="id > 1")).column("id").to_pylist(), [2, 3])
    both = command(table="worked", columns=["id"], lance_filter="id < 3", filter_expr="lat.values > 0")
    equal(server.read(both).column("id").to_pylist(), [1])
    refused(lambda: server.read(command(table="worked", filter="id > 1", lance_filter="id < 3")), pa.ArrowInvalid)


@checks.check("row ids by a scan command")
def _(server, data):
    got = server.read(command(table="worked", columns=["id"], with_row_id=True))
    equal(got.column("_rowid").to_pylist(), [0, 1, 2, 3])
    equal(got.column("_rowid").type, pa.uint64())


@checks.check("an unknown key of a scan command")
def _(server, data):
    refused(lambda: server.read(command(table="worked", colums=["id"])), pa.ArrowInvalid, "colums")


@checks.check("a version and a time")
def _(server, data):
    equal(server.value('SELECT count(*) FROM "sst@1"'), 64)
    equal(server.value("SELECT count(*) FROM events"), 1190)
    equal(server.value('SELECT count(*) FROM "events@1"'), 1200)
    refused(lambda: server.sql('SELECT id FROM "events@99"'), KeyError)


@checks.check("nearest names")
def _(server, data):
    refused(lambda: server.sql("SELECT idd FROM worked"), KeyError, "worked", "id")
    refused(lambda: server.sql("SELECT id FROM wroked"), KeyError, "worked")


@checks.check("a fault has its line and column")
def _(server, data):
    refused(lambda: server.sql("SELECT id\nFROM worked WHERE (id > 3"), pa.ArrowInvalid, "line 2")


@checks.check("no error tells a path of the disk")
def _(server, data):
    for sql in ("SELECT * FROM nosuch", "SELECT nosuch FROM sst", "SELECT read_csv('/etc/passwd')", "SELECT * FROM read_text('x')"):
        message = refused(lambda sql=sql: server.sql(sql), Exception)
        assert data not in message and ".go:" not in message, message


@checks.check("garbage is refused and the server goes on")
def _(server, data):
    for ticket in (b"", b"garbage", os.urandom(4096), b"{}"):
        refused(lambda ticket=ticket: server.client.do_get(flight.Ticket(ticket)).read_all(), pa.ArrowInvalid)
    for sql in ("(" * 10_000_000, "SELECT '" + "x" * 10_000_000 + "'"):
        refused(lambda sql=sql: server.sql(sql), pa.ArrowException)
    equal(server.value("SELECT 1"), 1)


@checks.check("files of the server are out of reach")
def _(server, data):
    for sql in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'",
        "COPY (SELECT 1) TO '/tmp/x'",
        "ATTACH '/tmp/x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT getenv('HOME')",
        "SELECT current_setting('temp_directory')",
    ):
        refused(lambda sql=sql: server.sql(sql), Exception)
    for sql in ("SELECT * FROM duckdb_settings()", "PRAGMA database_list"):
        rows = str(server.sql(sql).to_pylist())
        assert str(data) not in rows and "/" not in rows, f"{sql}: {rows}"


if __name__ == "__main__":
    args = arguments()
    checks.run(Flight(args.server), args.data)
