"""What the Python checks share: connections, and a runner that prints PASS or FAIL for each check."""

import argparse
import sys
import traceback

import pyarrow.flight as flight


class Checks:
    """Collects named checks and runs them; a check fails by raising."""

    def __init__(self):
        self.all = []

    def check(self, name):
        def add(f):
            self.all.append((name, f))
            return f

        return add

    def run(self, *args):
        failed = 0
        for name, f in self.all:
            try:
                f(*args)
                print("PASS", name)
            except Exception as e:  # a check reports whatever went wrong
                failed += 1
                where = traceback.extract_tb(e.__traceback__)[-1]
                text = " ".join(str(e).split())[:600]
                print(f"FAIL {name}: {type(e).__name__} {text} (line {where.lineno})")
        sys.exit(1 if failed else 0)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, help="HOST:PORT")
    parser.add_argument("--data", required=True, help="the folder that is served")
    return parser.parse_args()


class Flight:
    """Plain Flight: SQL text, paths and scan commands as descriptors."""

    def __init__(self, server):
        self.uri = f"grpc://{server}"
        self.client = flight.connect(self.uri)

    def read(self, descriptor, **session):
        headers = [(f"x-flightsrv-{k}".encode(), v.encode()) for k, v in session.items()]
        options = flight.FlightCallOptions(headers=headers)
        info = self.client.get_flight_info(descriptor, options)
        tables = [self.client.do_get(e.ticket, options).read_all() for e in info.endpoints]
        assert len(tables) == 1, f"{len(tables)} endpoints"
        assert tables[0].schema.equals(info.schema), "the stream's schema is not the one announced"
        return tables[0]

    def sql(self, text, **session):
        return self.read(flight.FlightDescriptor.for_command(text), **session)

    def value(self, text):
        table = self.sql(text)
        assert table.shape == (1, 1), table.shape
        return table.column(0)[0].as_py()


def equal(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def refused(call, kind, *texts):
    """call must raise kind with each of texts in its message; gives the message."""
    try:
        call()
    except kind as e:
        message = str(e)
        for text in texts:
            assert text in message, f"{text!r} is not in {message!r}"
        return message
    raise AssertionError(f"no {kind.__name__}")
