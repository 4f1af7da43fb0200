"""Reads tables through a server that serves a bucket, and compares them with what pylance said they hold.

usage: read.py --server HOST:PORT --want FOLDER
"""
import argparse
import os

import pyarrow as pa
import pyarrow.flight as flight

args = argparse.ArgumentParser()
args.add_argument("--server")
args.add_argument("--want")
args = args.parse_args()
client = flight.connect("grpc://" + args.server)


def check(name, ok, detail=""):
    print(f"PASS {name}" if ok else f"FAIL {name}: {detail}")


def read(descriptor):
    info = client.get_flight_info(descriptor)
    return pa.concat_tables([client.do_get(e.ticket).read_all() for e in info.endpoints])


def wanted(name):
    with pa.OSFile(os.path.join(args.want, name + ".arrow")) as f:
        return pa.ipc.open_file(f).read_all()


listed = sorted("/".join(p.decode() for p in f.descriptor.path) for f in client.list_flights())
check("list", any(n.endswith("inner") for n in listed) and any(n.endswith("many") for n in listed), listed)
for name in ["plain_2_0", "plain_2_1", "plain_2_2", "changed", "many", "far", "big"]:
    got, want = read(flight.FlightDescriptor.for_path(name)), wanted(name)
    check(name, got.cast(want.schema).equals(want), f"{got.num_rows} rows, {want.num_rows} are wanted")
check("schema", read(flight.FlightDescriptor.for_path("deep", "inner")).num_rows == 10)
got = read(flight.FlightDescriptor.for_command(b"SELECT a.id, b.name FROM many a JOIN changed b ON a.id = b.id WHERE a.id % 50 = 0 ORDER BY 1"))
want = sorted(i for i in wanted("changed")["id"].to_pylist() if i % 50 == 0)
check("join", got["id"].to_pylist() == want, got["id"].to_pylist())
try:
    client.get_flight_info(flight.FlightDescriptor.for_path("none"))
    check("missing", False, "no error")
except pa.ArrowKeyError as e:
    check("missing", "no table" in str(e), str(e))
