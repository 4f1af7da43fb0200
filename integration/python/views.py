"""Views of a server with --writable: --server HOST:PORT --data DIR, of which DIR holds t.lance (id 0 to 9, name) and geo/t.lance."""

import pathlib
import sys

import adbc_driver_flightsql.dbapi as adbc
import lance
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks, Flight, arguments, equal, refused

checks = Checks()
check = checks.check


def make(folder):
    for where, start in (("t", 0), ("geo/t", 100)):
        ids = list(range(start, start + 10))
        lance.write_dataset(pa.table({"id": pa.array(ids, pa.int64()), "name": [f"n{i}" for i in ids]}), str(folder / f"{where}.lance"))


class Cookies(flight.ClientMiddlewareFactory):
    """Keeps the cookies that the server sets."""

    def __init__(self):
        self.cookie = None

    def start_call(self, info):
        return Cookie(self)


class Cookie(flight.ClientMiddleware):
    def __init__(self, jar):
        self.jar = jar

    def sending_headers(self):
        return {"cookie": self.jar.cookie} if self.jar.cookie else {}

    def received_headers(self, headers):
        for name, values in headers.items():
            if name.lower() == "set-cookie":
                self.jar.cookie = values[0].split(";")[0]


class Session(Flight):
    """A client that keeps cookies, in a session that has begun."""

    def __init__(self, server):
        self.client = flight.connect(f"grpc://{server}", middleware=[Cookies()])
        list(self.client.do_action(("SetSessionOptions", b"")))


def ids(client, text):
    return sorted(client.sql(text).column(0).to_pylist())


def no_place(message, data):
    assert str(data) not in message, f"the server's path is in {message}"


@check("a view that lasts")
def _(server, data):
    client = Flight(server)
    client.sql("CREATE VIEW few (k) AS SELECT id FROM t WHERE id < 3")
    equal((data / "few.view.sql").exists(), True)
    equal(ids(client, "SELECT k FROM few"), [0, 1, 2])
    equal(ids(client, "SELECT main.few.k FROM lance.main.few WHERE few.k > 1"), [2])
    refused(lambda: client.sql("CREATE VIEW few AS SELECT 1"), pa.ArrowException, "few")
    client.sql("CREATE VIEW IF NOT EXISTS few AS SELECT 1")
    equal(ids(client, "SELECT * FROM few"), [0, 1, 2])
    client.sql("CREATE OR REPLACE VIEW few AS SELECT id FROM t WHERE id > 7 -- no more")
    equal(ids(client, "SELECT * FROM few"), [8, 9])
    equal((data / "few.view.sql").read_text(), "SELECT id FROM t WHERE id > 7")
    client.sql("DROP VIEW few")
    refused(lambda: client.sql("SELECT * FROM few"), pa.ArrowException, "few")
    refused(lambda: client.sql("DROP VIEW few"), pa.ArrowException, "few")
    client.sql("DROP VIEW IF EXISTS few")


@check("names in a view are of its own schema")
def _(server, data):
    client = Flight(server)
    client.sql("CREATE VIEW geo.own AS SELECT id FROM geo.t")
    (data / "geo" / "bare.view.sql").write_text("SELECT id FROM t WHERE id < 102")
    equal(ids(client, "SELECT id FROM geo.bare"), [100, 101])
    equal(ids(client, "SELECT b.id FROM geo.bare b JOIN geo.own o ON b.id = o.id"), [100, 101])


@check("a view is checked in its own schema, not in the session's")
def _(server, data):
    main, geo = Flight(server), Session(server)
    geo.sql("USE geo")
    headed = Flight(server)
    for folder in ("main", "geo"):
        (data / folder.removeprefix("main") / f"{folder}s.view.sql").write_text("SELECT id FROM t")
    for text, client, session in (
        ("CREATE VIEW geo.made AS SELECT id FROM geos", main, {}),
        ("CREATE VIEW geo.made AS SELECT id FROM t", main, {}),
        ("CREATE VIEW geo.made AS SELECT id FROM t", headed, {"schema": "main"}),
        ("CREATE VIEW main.made AS SELECT id FROM mains", geo, {}),
        ("CREATE VIEW main.made AS SELECT id FROM t", headed, {"schema": "geo"}),
    ):
        name = text.split()[2]
        client.sql(text, **session)
        start = 100 if name.startswith("geo") else 0
        for reader in (main, geo):
            equal(ids(reader, f"SELECT id FROM {name}"), list(range(start, start + 10)))
        main.sql(f"DROP VIEW {name}")
    for text, client, session in (
        ("CREATE VIEW geo.made AS SELECT id\nFROM mains", main, {}),
        ("CREATE VIEW geo.made AS SELECT id\nFROM mains", headed, {"schema": "main"}),
        ("CREATE VIEW main.made AS SELECT id\nFROM geos", geo, {}),
        ("CREATE VIEW main.made AS SELECT id\nFROM geos", headed, {"schema": "geo"}),
    ):
        message = refused(lambda text=text, client=client, session=session: client.sql(text, **session), pa.ArrowException, "its own schema")
        assert "line 2, column 6" in message, message
        refused(lambda text=text: main.sql(f"SELECT * FROM {text.split()[2]}"), pa.ArrowException, "made")
    (data / "mains.view.sql").unlink()
    (data / "geo" / "geos.view.sql").unlink()


@check("files that change are seen at once")
def _(server, data):
    client = Flight(server)
    for limit in (1, 2, 3):
        (data / "changing.view.sql").write_text(f"SELECT id FROM t WHERE id < {limit}")
        equal(len(ids(client, "SELECT * FROM changing")), limit)
    (data / "changing.view.sql").unlink()
    refused(lambda: client.sql("SELECT * FROM changing"), pa.ArrowException, "changing")


@check("a ticket holds the view as it was planned")
def _(server, data):
    client = Flight(server)
    (data / "held.view.sql").write_text("SELECT id FROM t WHERE id = 1")
    info = client.client.get_flight_info(flight.FlightDescriptor.for_command("SELECT * FROM held"))
    (data / "held.view.sql").write_text("SELECT name, id FROM t")
    equal(client.client.do_get(info.endpoints[0].ticket).read_all().to_pydict(), {"id": [1]})
    (data / "held.view.sql").unlink()
    equal(client.client.do_get(info.endpoints[0].ticket).read_all().to_pydict(), {"id": [1]})


@check("files that are no view")
def _(server, data):
    client = Flight(server)
    bad = {"two": "SELECT 1; SELECT 2", "write": "DROP VIEW x", "gone": "SELECT *\nFROM missing", "self": "SELECT * FROM self", "param": "SELECT ?", "empty": ""}
    for name, text in bad.items():
        (data / f"{name}.view.sql").write_text(text)
        message = refused(lambda name=name: client.sql(f"SELECT * FROM {name}"), pa.ArrowException, f"view lance.main.{name}" if name != "self" else "reads itself")
        no_place(message, data)
    assert "line 2, column 6" in refused(lambda: client.sql("SELECT * FROM gone"), pa.ArrowException)
    (data / "big.view.sql").write_text("SELECT 1" + " " * 300_000)
    no_place(refused(lambda: client.sql("SELECT * FROM big"), pa.ArrowException, "262144"), data)
    listed = client.sql("SELECT table_name FROM information_schema.tables WHERE table_type = 'VIEW'").column(0).to_pylist()
    assert set(bad) <= set(listed), listed
    assert "t" in client.sql("SHOW TABLES").column(0).to_pylist()
    columns = client.sql("SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'main'").column(0).to_pylist()
    assert "t" in columns and not set(bad) & set(columns), columns
    for name in [*bad, "big"]:
        (data / f"{name}.view.sql").unlink()


@check("a table and a view of one name")
def _(server, data):
    client = Flight(server)
    refused(lambda: client.sql("CREATE OR REPLACE VIEW t AS SELECT 1"), pa.ArrowException, "table lance.main.t")
    refused(lambda: client.sql("CREATE VIEW T AS SELECT 1"), pa.ArrowException, "table lance.main.t")
    refused(lambda: client.sql("DROP VIEW t"), pa.ArrowException, "table")
    refused(lambda: client.sql('CREATE VIEW "../up" AS SELECT 1'), pa.ArrowException, "name")
    equal((data.parent / "up.view.sql").exists(), False)
    refused(lambda: client.sql('CREATE VIEW "x\ny" AS SELECT 1'), pa.ArrowException, "control character")
    equal([f.name for f in data.iterdir() if "\n" in f.name], [])


@check("metadata lists views")
def _(server, data):
    client = Flight(server)
    client.sql("CREATE OR REPLACE VIEW shown AS SELECT id, upper(name) AS name FROM t")
    with adbc.connect(f"grpc://{server}") as connection:
        equal("view" in [t.lower() for t in connection.adbc_get_table_types()], True)
        found = connection.adbc_get_objects(depth="columns", table_name_filter="shown").read_all().to_pylist()
        tables = [t for c in found for s in c["catalog_db_schemas"] for t in s["db_schema_tables"] or []]
        equal([(t["table_name"], t["table_type"], [c["column_name"] for c in t["table_columns"]]) for t in tables], [("shown", "VIEW", ["id", "name"])])
        equal(connection.adbc_get_table_schema("shown").names, ["id", "name"])
    equal(client.sql("DESCRIBE shown").column(1).to_pylist(), ["BIGINT", "VARCHAR"])
    equal(client.value("SELECT view_definition FROM information_schema.views WHERE table_name = 'shown'"), "SELECT id, upper(name) AS name FROM t")
    equal(client.sql("SHOW CREATE VIEW shown").column(1).to_pylist(), ["CREATE VIEW lance.main.shown AS SELECT id, upper(name) AS name FROM t"])


@check("ADBC makes and drops a view")
def _(server, data):
    with adbc.connect(f"grpc://{server}", autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE VIEW by_adbc AS SELECT count(*) AS n FROM t")
        cursor.execute("SELECT n FROM by_adbc")
        equal(cursor.fetchall(), [(10,)])
        cursor.execute("DROP VIEW by_adbc")
        equal((data / "by_adbc.view.sql").exists(), False)


@check("temporary views belong to their session")
def _(server, data):
    mine, other, none = Session(server), Session(server), Flight(server)
    mine.sql("CREATE TEMP VIEW mine AS SELECT id FROM t WHERE id = 4")
    equal(ids(mine, "SELECT * FROM MINE"), [4])
    mine.sql("CREATE TEMPORARY VIEW upon AS SELECT id + 1 AS id FROM mine")
    equal(ids(mine, "SELECT * FROM upon"), [5])
    for client in (other, none):
        refused(lambda client=client: client.sql("SELECT * FROM mine"), pa.ArrowException, "mine")
    refused(lambda: none.sql("CREATE TEMP VIEW x AS SELECT 1"), pa.ArrowException, "session")
    refused(lambda: mine.sql("CREATE TEMP VIEW t AS SELECT 1"), pa.ArrowException, "lance.main.t")
    refused(lambda: mine.sql("CREATE VIEW lasting AS SELECT * FROM mine"), pa.ArrowException, "mine")
    equal("mine" in mine.sql("SHOW TABLES").column(0).to_pylist(), True)
    equal("mine" in other.sql("SHOW TABLES").column(0).to_pylist(), False)
    equal(mine.sql("DESCRIBE upon").column(0).to_pylist(), ["id"])
    # The schema that was in force stays the view's, whatever the session turns to.
    mine.sql("USE geo")
    equal(ids(mine, "SELECT * FROM mine"), [4])
    mine.sql("USE main")
    # A ticket carries the views that its statement was planned with.
    info = mine.client.get_flight_info(flight.FlightDescriptor.for_command("SELECT * FROM mine"))
    mine.sql("CREATE OR REPLACE TEMP VIEW mine AS SELECT id FROM t WHERE id = 6")
    equal(ids(mine, "SELECT * FROM upon"), [7])
    mine.sql("DROP VIEW upon")
    mine.sql("DROP VIEW mine")
    equal(mine.client.do_get(info.endpoints[0].ticket).read_all().column(0).to_pylist(), [4])
    refused(lambda: mine.sql("SELECT * FROM mine"), pa.ArrowException, "mine")


@check("transactions are refused where something can be written")
def _(server, data):
    refused(lambda: Flight(server).sql("BEGIN"), Exception, "no transactions")


@check("a session keeps a bounded number of views")
def _(server, data):
    mine = Session(server)
    for i in range(200):
        mine.sql(f"CREATE TEMP VIEW v{i} AS SELECT {i} AS x")
    refused(lambda: mine.sql("CREATE TEMP VIEW more AS SELECT 1"), Exception, "200")
    equal(ids(mine, "SELECT * FROM v199"), [199])


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        options = arguments()
        checks.run(options.server, pathlib.Path(options.data))
