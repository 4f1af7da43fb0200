"""Writes the tables of traps: small tables at which readers and pruners are known to lose rows.

    python make.py        in this folder; needs pylance 14.0.2 and pyarrow
"""

import shutil
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import lance
import pyarrow as pa

HERE = Path(__file__).parent / "traps"
nan, inf = float("nan"), float("inf")


def write(name, columns, fragments=2):
    """columns: name -> (type, values); the rows are spread over fragments."""
    table = pa.table({n: pa.array(v, t) for n, (t, v) in columns.items()})
    path = HERE / f"{name}.lance"
    shutil.rmtree(path, ignore_errors=True)
    rows = max(1, -(-table.num_rows // fragments))
    lance.write_dataset(table, str(path), max_rows_per_file=rows, max_rows_per_group=rows)


def ids(n):
    return pa.int64(), list(range(1, n + 1))


def struct(**fields):
    return pa.struct(list(fields.items()))


write("f", {"id": ids(7), "v": (pa.float64(), [1.0, nan, 3.0, None, -0.0, inf, -inf])})
write("r", {"id": ids(3), "v": (pa.float32(), [0.1, 0.2, 16777216])})
write("i", {"id": ids(4), "v": (pa.int32(), [1, 2, None, -1])})
write("b", {"id": ids(3), "v": (pa.int64(), [9007199254740993, 9007199254740992, 9223372036854775807])})
write("u", {"id": ids(3), "v": (pa.uint64(), [18446744073709551615, 0, 9223372036854775808])})
write("d", {"id": ids(3), "v": (pa.decimal128(10, 2), [Decimal("1.23"), Decimal("1.24"), Decimal("-0.01")])})
write("s", {"id": ids(11), "v": (pa.utf8(), ["a", "B", "a ", "é", "", None, "10", "9", "a_b", "axb", "C:\\temp"])})
stamps = [datetime(1969, 12, 31, 23, 59, 59, 500000), datetime(2024, 1, 1), datetime(2024, 1, 1, 12)]
write("t", {
    "id": ids(3), "v": (pa.timestamp("us"), stamps),
    "z": (pa.timestamp("us", tz="UTC"), [x.replace(tzinfo=timezone.utc) for x in stamps]),
    "d": (pa.date32(), [date(1969, 12, 31), date(2024, 1, 1), date(2024, 1, 1)]),
})
write("n", {"id": ids(4), "s": (struct(x=pa.int32(), y=struct(z=pa.int32())), [
    {"x": 1, "y": {"z": 1}}, None, {"x": None, "y": None}, {"x": 2, "y": {"z": None}}])})
write("m", {"id": ids(7), "h": (struct(values=pa.list_(pa.float64()), shape=pa.list_(pa.int32())), [
    {"values": [1, 2, 3]}, {"values": []}, None, {"values": [None, None]}, {"values": [1, None, 9]}, {"values": [nan, 0.5]},
    {"values": None, "shape": None}])})
write("l", {"id": ids(3), "k": (pa.int32(), [1, 2, None])})
write("rr", {"k": (pa.int32(), [1, 3, None]), "w": (pa.int32(), [10, 30, 40])})
write("c", {"Ab": (pa.int32(), [1]), "w": (struct(**{"a.b": pa.int32()}), [{"a.b": 2}]), "a": (struct(b=pa.int32()), [{"b": 3}])})
write("s2", {"id": (pa.int32(), [1]), "s": (struct(id=pa.int32()), [{"id": 10}])})
# Types that DuckDB has no exact type for.
times = [1704067200123456789, None, 1704067200123456788, -1]
write("odd", {
    "id": ids(4), "ns": (pa.timestamp("ns", tz="Asia/Tokyo"), times), "dur": (pa.duration("ns"), [3, None, 2, -5]),
    "h": (pa.float16(), [0.5, None, -1.5, nan]), "d256": (pa.decimal256(50, 2), [Decimal("1e40"), None, Decimal("-1e40"), Decimal("0.01")]),
    "t32": (pa.time32("s"), [1, None, 86399, 0]), "d64": (pa.date64(), [date(2024, 1, 1), None, date(1969, 12, 31), date(2024, 1, 2)]),
    "fsb": (pa.binary(2), [b"ab", None, b"\x00\xff", b"aa"]), "fsl": (pa.list_(pa.float32(), 2), [[1, 2], None, [3, None], [5, 6]]),
    "ls": (pa.large_utf8(), ["b", None, "", "a"]),
})

# Deletions: of five rows the first two are gone.
write("del", {"id": ids(5), "v": (pa.int32(), [10, 20, 30, 40, 50])}, fragments=1)
lance.dataset(str(HERE / "del.lance")).delete("id <= 2")
