"""Random filters in Lance's own SQL text, over columns of every type. The rows are those that pylance gives for the same text,
asked as the filter of a plain scan and as lance_sql in SQL.

python lancetexts.py run DIR HOST:PORT              DIR holds types.lance of expressions.py
python lancetexts.py show SEED COUNT DIR HOST:PORT  each difference on a line, for whoever looks into them
"""

import json
import pathlib
import random
import sys

import lance
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks
from expressions import COLUMNS, TEXTS

SEED = 41
GENERATED = 2500
TIMES = ["2024-01-01", "2024-01-01 12:30:00", "1969-12-31 23:59:59", "2024-02-29 06:30:15.123456", "1900-02-03"]


ENDLESS = {"ti", "di"}  # what is infinity to DuckDB, and so to the server, is a day like others to DataFusion


class Generator:
    """Random filters. What pylance refuses is not compared: it refuses literals that are no value of the column's type, where the
    server takes them. Left out is what DataFusion answers by the way it simplifies: casts of decimals, the least BIGINT, and
    parts of nanoseconds."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *xs):
        return self.rng.choice(xs)

    def column(self, *kinds):
        name = self.rng.choice([n for n, c in COLUMNS.items() if c[0] in kinds and n not in ENDLESS])
        return self.pick(name, name, f"`{name}`")

    def number(self):
        return self.pick("0", "1", "2", "-1", "7", "100", "127", "300", "1.5", "0.1", "-2.5", "1e3", "16777217", "3000000000", "9007199254740993", "-9007199254740993")

    def text(self):
        value = self.rng.choice(TEXTS)
        return "'" + value.replace("'", "''") + "'"

    def time(self, column):
        value = self.rng.choice(TIMES)
        return f"{'date' if column.strip('`') == 'day' else 'timestamp'} '{value[:10] if column.strip('`') == 'day' else value}'"

    def term(self):
        n = self.column("int", "small", "float", "dec")
        s, t, op = self.column("text"), self.column("time"), self.pick("=", "<>", "!=", "<", "<=", ">", ">=")
        return self.rng.choice([
            lambda: f"{n} {op} {self.number()}", lambda: f"{n} {op} {self.number()}", lambda: f"{self.number()} {op} {n}", lambda: f"{n} {op} {self.column('int', 'small', 'float', 'dec')}",
            lambda: f"{n} {self.pick('', 'not ')}between {self.number()} and {self.number()}", lambda: f"{n} {self.pick('', 'not ')}in ({self.number()}, {self.number()}, {self.pick('null', self.number())})",
            lambda: f"k {self.pick('+', '-', '*', '/', '%')} {self.pick('2', '-3', '7')} {op} {self.pick('0', '1', '-1', '2')}", lambda: f"f64 {self.pick('+', '-', '*', '/')} {self.pick('2.0', '0.5', 'k')} {op} {self.number()}",
            lambda: f"-k {op} {self.pick('1', '-3')}", lambda: f"{s} {op} {self.text()}", lambda: f"{s} {op} {self.column('text')}", lambda: f"{s} {self.pick('', 'not ')}in ({self.text()}, {self.text()})",
            lambda: f"{s} {self.pick('like', 'not like', 'ilike')} {self.pick(repr('%a%'), repr('a_b'), repr('A%'), repr('%'), repr('_'), chr(39) + 'a' + chr(92) + '_b' + chr(39))}",
            lambda: f"{self.pick('lower', 'upper', 'trim')}({s}) = {self.text()}", lambda: f"length({s}) {op} {self.pick('0', '1', '3')}", lambda: f"{self.pick('starts_with', 'ends_with', 'contains')}({s}, {self.text()})",
            lambda: f"{s} || 'x' = 'ax'", lambda: f"{t} {op} {self.time(t)}", lambda: f"{t} between {self.time(t)} and {self.time(t)}", lambda: f"{self.column(*{c[0] for c in COLUMNS.values()})} is {self.pick('', 'not ')}null",
            lambda: self.pick("ok", "ko", "not ok", "ok = true", "ok = ko", "ok is not true", "ok is false", "ko <> ok"), lambda: f"{n} is {self.pick('', 'not ')}distinct from {self.number()}",
            lambda: f"array_has(li, {self.pick('1', '7')})", lambda: f"st.x {op} {self.pick('1', '7')}", lambda: f"st.`in`.y {op} {self.pick('0.5', '1')}", lambda: f"st['t'] = {self.pick(repr('a'), repr('b'))}",
            lambda: f"cast({self.column('int', 'small', 'float')} as double) {op} {self.pick('1', '7', '0.5')}", lambda: f"cast(k as {self.pick('bigint', 'string', 'int')}) = cast(1 as {self.pick('bigint', 'int')})".replace("string", "bigint"), lambda: f"coalesce(k, 5) {op} 5", lambda: f"nullif(k, 1) is null",
            lambda: f"regexp_like({s}, '^a.')", lambda: f"date_part('{self.pick('year', 'month', 'day')}', {t.replace('ts_ns', 'ts')}) = {self.pick('2024', '2100', '29')}",
        ])()

    def filter(self, depth=2):
        if depth == 0 or self.rng.random() < 0.5:
            return self.term()
        a, b = self.filter(depth - 1), self.filter(depth - 1)
        return self.pick(f"{a} and {b}", f"{a} or {b}", f"({a} or {b})", f"not ({a})", f"({a}) and not ({b})")


def ids(client, descriptor):
    info = client.get_flight_info(descriptor)
    return client.do_get(info.endpoints[0].ticket).read_all().column("id").to_pylist()


def ways(text):
    """The filter as a plain scan and as SQL."""
    yield json.dumps({"table": "types", "columns": ["id"], "filter": text})
    yield "SELECT id FROM types WHERE lance_sql('" + text.replace("'", "''") + "')"


def differences(client, dataset, seed, count):
    g, compared = Generator(seed), 0
    for _ in range(count):
        text = g.filter()
        try:
            want = dataset.to_table(filter=text, columns=["id"])["id"].to_pylist()
        except Exception:  # pylance raises several kinds
            continue
        compared += 1
        for way in ways(text):
            try:
                got = sorted(ids(client, flight.FlightDescriptor.for_command(way)))
            except (flight.FlightError, pa.ArrowException) as e:
                yield f"refused: {str(e).split('. gRPC')[0][:160]} -- {text}"
                continue
            if got != want:
                yield f"{len(got)} rows instead of {len(want)}, ids {sorted(set(got) ^ set(want))[:3]} -- {text}"
    assert compared > count / 2, f"only {compared} of {count} were compared"


checks = Checks()


@checks.check("filters in Lance's SQL")
def _(client, dataset):
    faults = list(differences(client, dataset, SEED, GENERATED))
    assert not faults, f"{len(faults)} of {GENERATED}: " + " ### ".join(faults[:6])


def opened(folder, server):
    return flight.connect(f"grpc://{server}"), lance.dataset(str(pathlib.Path(folder) / "types.lance"))


if __name__ == "__main__":
    if sys.argv[1] == "show":
        for d in differences(*opened(sys.argv[4], sys.argv[5]), int(sys.argv[2]), int(sys.argv[3])):
            print(d)
    else:
        checks.run(*opened(sys.argv[2], sys.argv[3]))
