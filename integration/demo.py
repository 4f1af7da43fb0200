"""Serves the demo tables, runs three queries through real clients, prints the answers and what was read for each.

Run by `make demo`, which builds the server and makes the environment first. Exits with 0 when every answer is right.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import adbc_driver_flightsql.dbapi as flightsql
import pyarrow.flight as flight

ROOT = Path(__file__).resolve().parent.parent
BINARY = str(ROOT / "bin" / "flightsrv")
ANSWERS = json.loads((ROOT / "testdata" / "demo_expected.json").read_text())

TROPICS = """SELECT id, sst.attrs.units FROM sst
WHERE lat.values BETWEEN 17.5 AND 25.4 AND sst.attrs.units = 'K' ORDER BY id"""
COUNTRIES = """SELECT account.geo.country AS country, count(*) AS n FROM events
WHERE device.os.build.patch.level = 4 GROUP BY country ORDER BY country"""
CHLOROPHYLL = "SELECT count(*) AS n FROM sst WHERE chl.values > 1"


def serve(data):
    """Starts the server on a free port; gives the process and the port."""
    process = subprocess.Popen(
        [BINARY, "serve", "--data", data, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True
    )
    for line in process.stderr:
        if found := re.search(r"listening on grpc://127\.0\.0\.1:(\d+)", line):
            return process, int(found[1])
    sys.exit("the server did not start")


def by_pyarrow(port, sql):
    client = flight.connect(f"grpc://127.0.0.1:{port}")
    info = client.get_flight_info(flight.FlightDescriptor.for_command(sql))
    return client.do_get(info.endpoints[0].ticket).read_all().to_pylist()


def by_adbc(port, sql):
    with flightsql.connect(f"grpc://127.0.0.1:{port}", autocommit=True) as con, con.cursor() as cur:
        cur.execute(sql)
        return cur.fetch_arrow_table().to_pylist()


def by_jdbc(port, sql):
    jar = (ROOT / ".cache" / "jdbc-driver").read_text().strip()
    command = ["java", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp", jar]
    command += [str(ROOT / "integration" / "jdbc" / "Query.java"), f"127.0.0.1:{port}", sql]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the JDBC client failed:\n{done.stderr}")
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    return [dict(zip(header, row)) for row in rows]


def what_was_read(port, sql):
    [row] = by_pyarrow(port, "EXPLAIN FORMAT='json' ANALYZE " + sql)
    for scan in json.loads(next(iter(row.values())))["scans"]:
        columns = ", ".join(f"{k} {v}" for k, v in sorted(scan["column_bytes"].items()) if v)
        print(
            f"  read of {scan['table']}: {scan['rows_selected']} of {scan['rows']} rows, "
            f"{scan['fragments_read']} of {scan['fragments']} fragments, {scan['bytes_read']} bytes in "
            f"{scan['read_requests']} requests ({columns})"
        )


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "demo")
        subprocess.run([BINARY, "demo", data], check=True)
        process, port = serve(data)
        try:
            queries = [
                ("pyarrow.flight", by_pyarrow, TROPICS, lambda rows: [r["id"] for r in rows] == ANSWERS["tropics_kelvin"]),
                ("ADBC", by_adbc, COUNTRIES, lambda rows: {r["country"]: r["n"] for r in rows} == ANSWERS["level_4_by_country"]),
                ("JDBC", by_jdbc, CHLOROPHYLL, lambda rows: rows == [{"n": str(len(ANSWERS["chl"]))}]),
            ]
            for client, run, sql, right in queries:
                print(f"\n{client}:\n  " + sql.replace("\n", "\n  "))
                rows = run(port, sql)
                for row in rows:
                    print("  ", row)
                what_was_read(port, sql)
                if not right(rows):
                    wrong.append(client)
        finally:
            process.terminate()
            process.communicate(timeout=30)
    if wrong:
        sys.exit(f"wrong answers through {', '.join(wrong)}")


if __name__ == "__main__":
    main()
