"""Writes types.arrow and the recording duckdb.jsonl.gz that duckdb_test.go compares with.

    go test ./expr/eval -run TestListRandomExpressions -write-exprs /some/exprs.jsonl
    python record.py /some/exprs.jsonl          needs pyarrow and duckdb 1.5

An answer is left out where it hangs on something else than the meaning of the expression:
- a decimal of 38 digits as a double beyond 2**53: DuckDB's own rounding differs by the sign;
- an error that DuckDB meets or not by the order in which it evaluates: it folds an operand that is always NULL.
"""
import datetime as dt
import decimal
import gzip
import json
import math
import random
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.ipc as ipc

HERE = Path(__file__).parent
D = decimal.Decimal
ROWS = 24


def column(values, t):
    out = [values[i] if i < len(values) else random.choice(values) for i in range(ROWS)]
    for i in range(len(values), ROWS):
        if random.random() < 0.2:
            out[i] = None
    out[7] = None
    return pa.array(out, t)


def ints(lo, hi):
    return [0, 1, -1 if lo < 0 else 2, lo, hi, lo + 1, hi - 1, 5, 7, 10, 100, 3]


def table():
    random.seed(5)
    epoch = dt.datetime(1970, 1, 1)
    times = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12), dt.datetime(1969, 12, 31, 23, 59, 59, 500000), epoch,
             dt.datetime(2024, 5, 1, 6, 30), dt.datetime(2024, 1, 1, 0, 0, 0, 1), dt.datetime(1900, 2, 3), dt.datetime(2262, 1, 1)]
    us = [int((t - epoch) / dt.timedelta(microseconds=1)) for t in times]
    nan, inf = math.nan, math.inf
    lists = [[1, 2, 3], [], None, [None, None], [1, None, 9], [nan, 0.5], [3.0], [0.1]]
    longs = [[1, 2, 3], [], None, [None], [5], [7, 7], [2**62], [-1]]
    return pa.table({
        "i8": column(ints(-128, 127), pa.int8()), "i16": column(ints(-2**15, 2**15 - 1), pa.int16()),
        "i32": column(ints(-2**31, 2**31 - 1), pa.int32()),
        "i64": column(ints(-2**63, 2**63 - 1) + [9007199254740993, 9007199254740992], pa.int64()),
        "u8": column([0, 1, 2, 255, 254, 5, 7, 100], pa.uint8()), "u16": column([0, 1, 65535, 7, 300], pa.uint16()),
        "u32": column([0, 1, 2**32 - 1, 7, 70000], pa.uint32()),
        "u64": column([0, 1, 2**64 - 1, 2**63, 2**63 - 1, 7, 9007199254740993], pa.uint64()),
        "small": column([0, 1, 2, -3, 4, 10], pa.int32()),
        "f32": column([0.0, 0.1, 0.2, -0.0, nan, inf, -inf, 16777216.0, 1.5, -2.5, 3.0, 1e30], pa.float32()),
        "f64": column([0.0, 0.1, 0.2, -0.0, nan, inf, -inf, 9007199254740992.0, 1.5, -2.5, 3.0, 1e300, 2.5, 0.5], pa.float64()),
        "d10": column([D("1.23"), D("1.24"), D("-0.01"), D("0.00"), D("7.00"), D("99999999.99"), D("-1.50"), D("2.00")],
                      pa.decimal128(10, 2)),
        "d38": column([D("1.2300000000"), D("9007199254740993"), D("-0.0000000001"), D(0), D("1234567890123456789012345678.0123456789"),
                       D("1.5")], pa.decimal128(38, 10)),
        "s": column(["a", "B", "a ", "é", "", "10", "9", "a_b", "axb", "C:\\temp", "a%", "2024-01-01", "true", "1.5", "abc", "ÀÉ", " x "],
                    pa.string()),
        "ok": column([True, False], pa.bool_()),
        "day": column([dt.date(2024, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2024, 5, 1), dt.date(2000, 2, 29)],
                      pa.date32()),
        "ts": column(us, pa.timestamp("us")), "ns": column([x * 1000 + k for k, x in enumerate(us)], pa.timestamp("ns")),
        "tms": column([0, -1, 1714545000000, 1704067200000, -500], pa.timestamp("ms")),
        "tsec": column([0, -1, 1714545000, 1704067200, 1704110400], pa.timestamp("s")),
        "z": column(us, pa.timestamp("us", "UTC")),
        "clock": column([dt.time(0, 0), dt.time(12, 0), dt.time(23, 59, 59, 999999), dt.time(6, 30)], pa.time64("us")),
        "l": pa.array(lists * 3, pa.list_(pa.float64())), "li": pa.array(longs * 3, pa.list_(pa.int64())),
    })


def texts(a):
    if pa.types.is_timestamp(a.type):
        per = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[a.type.unit]
        return [None if v is None else str(v * per) for v in a.cast(pa.int64()).to_pylist()]
    if pa.types.is_date32(a.type):
        return [None if v is None else str(v) for v in a.cast(pa.int32()).to_pylist()]
    if pa.types.is_boolean(a.type):
        return [None if v is None else str(v).lower() for v in a.to_pylist()]
    if pa.types.is_floating(a.type):
        return [None if v is None else repr(v) for v in a.to_pylist()]
    if pa.types.is_decimal(a.type):
        return [None if v is None else f"{v:f}" for v in a.to_pylist()]
    return [None if v is None else str(v) for v in a.to_pylist()]


def main():
    t = table()
    with ipc.new_file(HERE / "types.arrow", t.schema) as w:
        w.write_batch(t.combine_chunks().to_batches()[0])
    con = duckdb.connect()
    con.execute("SET timezone = 'UTC'; SET threads = 1")
    con.register("arrow_t", t)
    con.execute("CREATE TABLE t AS SELECT *, row_number() OVER () AS rn FROM arrow_t")
    out, skipped = [], 0
    for line in Path(sys.argv[1]).read_text().splitlines():
        sql = json.loads(line)
        # Rounding of wide decimals on the way to a float is DuckDB's own.
        if "d38" in sql and ("DOUBLE" in sql or "FLOAT" in sql or "/" in sql or "f32" in sql or "f64" in sql):
            skipped += 1
            continue
        try:
            typ = con.execute(f"SELECT typeof({sql}) FROM t LIMIT 1").fetchone()[0]
            res = con.execute(f"SELECT ({sql}) AS x FROM t ORDER BY rn").arrow()
            res = res.read_all() if hasattr(res, "read_all") else res
        except duckdb.Error:
            out.append({"sql": sql, "error": True})
            continue
        if typ == '"NULL"':  # folded away
            skipped += 1
            continue
        out.append({"sql": sql, "type": typ, "rows": texts(res.column("x").combine_chunks())})
    with gzip.GzipFile(HERE / "duckdb.jsonl.gz", "wb", mtime=0) as f:
        for a in out:
            f.write((json.dumps(a, ensure_ascii=False) + "\n").encode())
    print(len(out), "recorded", skipped, "left out")


if __name__ == "__main__":
    main()
