"""Statements of a few hundred characters that would take all memory: each ends with ResourceExhausted or with its answer,
and the server goes on.

python greedy.py --server HOST:PORT
"""

import argparse
import threading

import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks

SIMPLE = "SELECT cruise, count(*) AS n FROM sst GROUP BY cruise ORDER BY n"


def doubled(levels):
    query = "SELECT cruise AS x FROM sst"
    for _ in range(levels):
        query = f"SELECT x || x AS x FROM ({query}) q WHERE length(x) > 0"
    return f"SELECT max(length(x)) FROM ({query}) q"


GREEDY = {
    "texts that double": doubled(30),
    "replace": "SELECT max(length(replace(repeat(cruise, 90000), 'C', repeat('y', 1000)))) FROM sst",
    "list_resize": "SELECT max(len(list_resize([id], 900000000))) FROM sst",
    "range": "SELECT max(len(range(id * 10000000))) FROM sst",
    "texts in lists": "SELECT max(len(list_transform(range(id * 100), x -> repeat(cruise || x, 10000)))) FROM sst",
    "one text of all": "SELECT length(string_agg(repeat(cruise || i, 900000), ',')) FROM sst, range(100) r(i)",
    "printf": "SELECT max(length(printf('%2000000000d', id))) FROM sst",
}


def ask(client, sql):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(sql))
    return client.do_get(info.endpoints[0].ticket).read_all()


checks = Checks()


def greedy(name, sql):
    @checks.check(name)
    def _(address):
        with flight.connect(address) as client:
            try:
                got = ask(client, sql)
                assert False, f"an answer: {got.num_rows} rows"
            except pa.ArrowException as e:
                assert "needs more memory" in str(e), e
            rows = ask(client, SIMPLE).num_rows
            assert rows == 8, f"{rows} rows of the next statement"


for name, sql in GREEDY.items():
    greedy(name, sql)


@checks.check("many subqueries of little")
def _(address):
    # Fifteen levels fit: the length is that of the text, 2 to the 15th times.
    with flight.connect(address) as client:
        length = ask(client, "SELECT max(length(cruise)) FROM sst")[0][0].as_py()
        assert ask(client, doubled(15))[0][0].as_py() == length << 15


@checks.check("neighbours")
def _(address):
    failed, done, stop = [], 0, threading.Event()

    def neighbour():
        nonlocal done
        with flight.connect(address) as client:
            while not stop.is_set():
                try:
                    assert ask(client, SIMPLE).num_rows == 8
                    done += 1
                except pa.ArrowException as e:
                    failed.append(str(e))

    thread = threading.Thread(target=neighbour)
    thread.start()
    with flight.connect(address) as client:
        for sql in GREEDY.values():
            try:
                ask(client, sql)
            except pa.ArrowException:
                pass  # which the checks above look at
    stop.set()
    thread.join()
    # A neighbour may meet a full cap, with the error that says so; most must not.
    assert done > 10 and len(failed) * 20 <= done, f"{len(failed)} of {done + len(failed)} failed: {failed[:1]}"
    assert all("needs more memory" in text for text in failed), failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True, help="HOST:PORT")
    checks.run("grpc://" + parser.parse_args().server)
