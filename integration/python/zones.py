"""Random expressions over instants and local times in sessions of several time zones, around the hours that clocks show twice or
never: the answers are DuckDB's for the same text in the same zone.

python zones.py run DIR HOST:PORT           asks the server that serves DIR with types.lance of expressions.py, and DuckDB
"""

import random
import sys

import pyarrow.flight as flight

from checks import Checks
from expressions import asked, difference, reference

SEED, GENERATED = 61, 300
ZONES = ["America/New_York", "Europe/Oslo", "Asia/Kolkata", "UTC"]
INSTANTS = ["2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-01-01", "2024-07-01 12:00:00+02", "1969-12-31 23:59:59.5", "2024-03-31 02:30:00", "2024-10-27 02:30:00"]


class Generator:
    """Random statements. Left out is what DuckDB refuses and the server takes: an instant beside TIMESTAMP_S or TIMESTAMP_MS; and
    a column of instants that is just read, which keeps the table's own type."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *xs):
        return self.rng.choice(xs)

    def instant(self, depth=1):
        text, inner = self.rng.choice(INSTANTS), (lambda: self.instant(depth - 1) if depth else "tz")
        return self.rng.choice([
            lambda: "(tz)", lambda: f"TIMESTAMPTZ '{text}'", lambda: f"'{text}'::TIMESTAMPTZ", lambda: f"CAST({self.pick('ts', 'ts_s', 'ts_ms', 'ts_ns', 'day')} AS TIMESTAMPTZ)",
            lambda: f"tz {self.pick('+', '-')} INTERVAL {self.pick('1 DAY', '3 HOURS', '1 MONTH', '45 MINUTES')}", lambda: f"date_trunc('{self.pick('day', 'hour', 'month', 'week', 'year')}', {inner()})",
            lambda: f"({self.pick('ts', 'ts_s')} AT TIME ZONE '{self.rng.choice(ZONES)}')", lambda: f"coalesce({self.pick('ts', 'day', 'tz')}, tz)", lambda: f"time_bucket(INTERVAL {self.pick('1 day', '2 hours')}, tz)",
            lambda: f"make_timestamptz(2024, {self.pick(3, 11)}, {self.pick(3, 10, 30)}, {self.pick(1, 2, 3)}, 30, 0.0)",
        ])()

    def local(self):
        return self.rng.choice([
            lambda: self.pick("ts", "day"), lambda: f"CAST({self.instant()} AS {self.pick('TIMESTAMP', 'DATE')})", lambda: f"({self.instant()} AT TIME ZONE '{self.rng.choice(ZONES)}')", lambda: "TIMESTAMP '2024-03-10 02:30:00'",
        ])()

    def value(self):
        return self.rng.choice([
            lambda: f"coalesce({self.instant()})", lambda: self.local(), lambda: f"{self.pick('year', 'month', 'day', 'hour', 'minute', 'dayofweek', 'week', 'epoch')}({self.instant()})",
            lambda: f"extract({self.pick('hour', 'day', 'timezone', 'epoch', 'isodow')} FROM {self.instant()})", lambda: f"CAST({self.instant()} AS {self.pick('VARCHAR', 'TIME')})",
            lambda: f"strftime({self.instant()}, '%Y-%m-%d %H:%M:%S')", lambda: f"date_diff('{self.pick('day', 'hour', 'month')}', {self.instant()}, {self.instant()})", lambda: f"{self.instant()} - {self.instant()}",
            lambda: f"age({self.instant()}, {self.instant()})", lambda: f"to_timestamp({self.pick('0', '1.5', '1710054000')})",
        ])()

    def condition(self):
        op, text = self.pick("=", "<", "<=", ">", ">=", "<>", "IS DISTINCT FROM"), self.rng.choice(INSTANTS)
        return self.rng.choice([
            lambda: f"{self.instant()} {op} {self.instant()}", lambda: f"tz {op} '{text}'", lambda: f"tz {op} {self.local()}", lambda: f"{self.local()} {op} {self.instant()}", lambda: f"tz BETWEEN '{text}' AND {self.local()}",
            lambda: f"tz IN ('{text}', '{self.rng.choice(INSTANTS)}')", lambda: f"tz {op} DATE '2024-01-01'", lambda: f"day {op} {self.instant()}",
        ])()

    def statement(self):
        return self.pick(f"SELECT id FROM types WHERE {self.condition()}", f"SELECT id, {self.value()} AS e FROM types", f"SELECT id, {self.value()} AS e FROM types WHERE {self.condition()}")


checks = Checks()


def each(zone):
    @checks.check(f"statements in {zone}")
    def _(client, connection):
        connection.execute(f"SET TimeZone = '{zone}'")
        options = flight.FlightCallOptions(headers=[(b"x-flightsrv-timezone", zone.encode())])
        g, faults = Generator(SEED), []
        for _ in range(GENERATED):
            sql = g.statement()
            faults += filter(None, [difference(sql, lambda: asked(client, sql, options), lambda: connection.execute(sql).to_arrow_table())])
        assert not faults, f"{len(faults)} of {GENERATED}: " + " ### ".join(faults[:6])


for zone in ZONES:
    each(zone)

if __name__ == "__main__":
    checks.run(flight.connect(f"grpc://{sys.argv[3]}"), reference())
