"""Calls of every function of DuckDB that the server takes, with arguments of all types that DuckDB takes for it: the answers, their
types and what is refused are DuckDB's.

python functions.py run DIR HOST:PORT       asks the server that serves DIR with types.lance of expressions.py, and DuckDB
python functions.py show SEED HOST:PORT     each difference on a line, for whoever looks into them
"""

import random
import sys

import duckdb
import pyarrow.flight as flight

from checks import Checks
from expressions import COLUMNS, asked, difference, reference
from statements import rows

SEED = 51
TRIES, CALLS = 40, 8  # calls that are tried for each function, and those among them that DuckDB takes

# Arguments beside the columns. What is absurdly large for repeat, range and their kin is left out.
LITERALS = ["0", "1", "2", "-1", "3", "1.5", "'a'", "'abc'", "''", "'2024-01-01'", "'%Y-%m-%d'", "'month'", "'day'", "'[1, 2]'", "'{\"a\": 1}'", "'$.a'", "','", "NULL", "TRUE", "DATE '2024-02-29'",
            "TIMESTAMP '2024-02-29 12:30:00.5'", "INTERVAL '1 day'", "[1, 2, 3]", "['a', 'b']", "[0.5, 1.5]", "{'a': 1}", "MAP {'a': 1}", "'abc'::BLOB", "TIMESTAMPTZ '2024-01-01 00:00:00+00'", "TIME '12:30:00'",
            "x -> x + 1", "x -> x", "'sum'", "'https://a.example/b?c=1'", "k", "k", "f64", "s", "ts", "li", "st", "d10", "i32"]
TEXTS = ["'a'", "'abc'", "''", "'month'", "'day'", "','", "'2024-01-01'", "'%Y-%m-%d'", "'[1, 2]'", "'{\"a\": 1}'", "'$.a'", "'sum'", "'b.*'", "'https://a.example/b?c=1'"]
NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "BIGNUM"}
# Functions that make as much as an argument says.
GREEDY = {"list_resize", "array_resize", "repeat", "lpad", "rpad", "range", "generate_series", "equi_width_bins", "bar", "factorial", "space", "array_grade_up", "bitstring", "list_range"}
# Functions whose answer is another at each call, or that hang on the system. With substr far outside a text DuckDB's own answer
# hangs on whether it knows the texts to be ASCII.
VOLATILE = {"substr", "substring", "random", "setseed", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "nextval", "currval", "now", "current_timestamp", "current_date", "current_localtime", "current_localtimestamp", "get_current_timestamp",
            "get_current_time", "transaction_timestamp", "today", "txid_current", "reservoir_quantile", "sleep_ms", "ago", "current_database", "current_schemas", "version", "row"}


def names(connection):
    rows = connection.execute("SELECT DISTINCT function_name, function_type FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate') ORDER BY ALL").fetchall()
    return [(n, t) for n, t in rows if n.isidentifier() and n not in VOLATILE and not n.startswith("__")]


def signatures(connection):
    """For each function the lists of its parameters' types."""
    out = {}
    for name, types, varargs in connection.execute("SELECT function_name, parameter_types, varargs FROM duckdb_functions()").fetchall():
        for more in range(4 if varargs else 1):
            out.setdefault(name, []).append([*types, *[varargs] * more])
    return out


def argument(rng, typ, small):
    """An argument that may be of a type, or now and then any; small numbers alone for functions that make as much as they are told."""
    if small and (typ or "ANY").split("(")[0] in NUMBERS:
        return rng.choice(["k", "0", "1", "3", "-1", "NULL"])
    base = (typ or "ANY").split("(")[0]
    if rng.random() < 0.2:
        base = "ANY"
    if not small and base.endswith("[]") or base in ("LIST", "ARRAY"):
        return rng.choice(["li", "lf", "lt", "[1, 2, 3]", "['a', 'b']", "[0.5, 1.5, k]", "[[1, 2], [3]]", "NULL"])
    if base in NUMBERS:
        return rng.choice([n for n, c in COLUMNS.items() if c[0] in ("int", "small", "float", "dec")] + ["k", "k", "0", "1", "2", "3", "-1", "1.5", "NULL"])
    known = {"VARCHAR": ["s", "s2", "ls", "ds", *TEXTS], "BLOB": ["by", "'abc'::BLOB", "NULL"], "BOOLEAN": ["ok", "ko", "TRUE", "NULL"], "DATE": ["day", "DATE '2024-02-29'"], "TIMESTAMP": ["ts", "day", "TIMESTAMP '2024-02-29 12:30:00.5'"],
             "TIMESTAMP WITH TIME ZONE": ["tz"], "TIMESTAMP_NS": ["ts_ns"], "TIMESTAMP_S": ["ts_s"], "TIMESTAMP_MS": ["ts_ms"], "TIME": ["clock"], "INTERVAL": ["INTERVAL '1 day'", "INTERVAL 90 MINUTES", "INTERVAL 1 MONTH"],
             "LAMBDA": ["x -> x", "x -> x IS NULL", "(x, y) -> x"], "MAP": ["MAP {'a': 1, 'b': k}", "MAP {k: s}"], "STRUCT": ["st", "{'a': 1, 'b': s}"], "JSON": ["'{\"a\": [1, 2]}'"], "BIT": ["'0101'::BIT"], "UUID": ["'00000000-0000-0000-0000-000000000001'::UUID"]}
    return rng.choice(known.get(base, LITERALS + list(COLUMNS)))


def arguments(rng, name, signatures):
    small = name in GREEDY
    chosen = rng.choice([s for s in signatures if not small or "INTERVAL" not in s])
    return ", ".join(argument(rng, t, small) for t in (chosen if not small else ["INTEGER" if t == "ANY" else t for t in chosen]))


def statement(kind, name, args):
    if kind == "scalar":
        return f"SELECT id, {name}({args}) AS e FROM types WHERE id % 3 = 0"
    order = " ORDER BY id" if args else ""
    return f"SELECT k AS id, {name}({args}{order}) AS e FROM types WHERE k IS NOT NULL GROUP BY k"


def readable(answer):
    """Whether Python has values for an answer: not for dates beyond its own, nor for structs with two fields of one name."""
    try:
        rows(answer)
        return True
    except (OverflowError, ValueError):
        return False


def differences(client, connection, seed):
    rng, known = random.Random(seed), signatures(connection)
    for name, kind in names(connection):
        taken = set()
        for _ in range(TRIES):
            sql = statement(kind, name, arguments(rng, name, known[name]))
            if sql in taken:
                continue
            try:
                answer = connection.execute(sql).to_arrow_table()
            except duckdb.Error:
                continue
            taken.add(sql)
            if not readable(answer):
                continue
            d = difference(sql, lambda: asked(client, sql), lambda: answer)
            if d:
                if "there is no function" in d:
                    break
                if "a result of the type" not in d and "out of range of the result's nanoseconds" not in d:  # those that Arrow has no value for
                    yield d
            if len(taken) == CALLS:
                break


checks = Checks()


@checks.check("functions")
def _(client, connection):
    faults = list(differences(client, connection, SEED))
    assert not faults, f"{len(faults)}: " + " ### ".join(faults[:6])


if __name__ == "__main__":
    if sys.argv[1] == "show":
        for d in differences(flight.connect(f"grpc://{sys.argv[3]}"), reference(), int(sys.argv[2])):
            print(d, flush=True)
    else:
        checks.run(flight.connect(f"grpc://{sys.argv[3]}"), reference())
