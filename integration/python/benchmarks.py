"""The queries of TPC-H and ClickBench over Lance tables, their answers those of DuckDB over the same data in Parquet.

python benchmarks.py make DIR                 writes DIR/lance/*.lance and DIR/parquet/*.parquet
python benchmarks.py run DIR HOST:PORT        asks the server that serves DIR/lance, and DuckDB
"""

import collections
import math
import pathlib
import re
import subprocess
import sys

import duckdb
import lance
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as parquet

from checks import Checks

SCALE = "0.01"
HITS, SEED = 20_000, 11
QUERIES = pathlib.Path(__file__).resolve().parent.parent / "testdata"

# The columns of ClickBench's table, by type.
SMALL = """JavaEnable Age Sex Income Robotness IsMobile MobilePhone TraficSourceID SearchEngineID AdvEngineID IsArtifical
WindowClientWidth WindowClientHeight ClientTimeZone SilverlightVersion1 SilverlightVersion2 SilverlightVersion4 CodeVersion
IsLink IsDownload IsNotBounce IsOldCounter IsEvent IsParameter DontCountHits WithHash IsRefresh ResolutionWidth
ResolutionHeight ResolutionDepth FlashMajor FlashMinor NetMajor NetMinor UserAgentMajor CookieEnable JavascriptEnable
OS UserAgent CounterClass HasGCLID HTTPError SocialSourceNetworkID ParamCurrencyID IsTopLevel GoodEvent""".split()
INT = "CounterID ClientIP RegionID URLCategoryID RefererCategoryID URLRegionID RefererRegionID IPNetworkID SilverlightVersion3 \
WindowName OpenerName HID SendTiming DNSTiming ConnectTiming ResponseStartTiming ResponseEndTiming FetchTiming CLID".split()
BIG = "WatchID UserID FUniqID ParamPrice HistoryLength RefererHash URLHash".split()
TEXT = "Title URL Referer FlashMinor2 UserAgentMinor MobilePhoneModel Params SearchPhrase PageCharset OriginalURL BrowserLanguage \
BrowserCountry SocialNetwork SocialAction SocialSourcePage ParamOrderID ParamCurrency OpenstatServiceName OpenstatCampaignID \
OpenstatAdID OpenstatSourceID UTMSource UTMMedium UTMCampaign UTMContent UTMTerm FromTag HitColor".split()
TIMES = ["EventTime", "ClientEventTime", "LocalEventTime"]


def hits():
    rng = np.random.default_rng(SEED)
    words = np.array(["", "", "", "google", "maps", "Google news", "weather", "cars", "été", "книги"])
    hosts = np.array(["http://www.google.com/", "https://example.org/a/b", "http://news.example.com/x?q=1", "", "https://www.cars.example/"])
    columns = {}
    for name in SMALL:
        columns[name] = pa.array(rng.choice([0, 0, 0, 1, 2, 6, -1], HITS).astype(np.int16))
    for name in INT:
        columns[name] = pa.array(rng.integers(-1000, 1000, HITS).astype(np.int32))
    for name in BIG:
        columns[name] = pa.array(rng.integers(-(2**62), 2**62, HITS))
    for name in TEXT:
        columns[name] = pa.array(rng.choice(words, HITS))
    for name in TIMES:
        seconds = 1372636800 + rng.integers(0, 31 * 86400, HITS)
        columns[name] = pa.array(seconds.astype("datetime64[s]")).cast(pa.timestamp("us"))
    columns["EventDate"] = columns["EventTime"].cast(pa.date32())
    # What the queries look for: few users, a counter that many rows have, addresses.
    columns["UserID"] = pa.array(rng.choice(np.append(rng.integers(0, 2**62, 500), 435090932899640449), HITS))
    columns["CounterID"] = pa.array(rng.choice([62, 62, 1, 7, 1000], HITS).astype(np.int32))
    columns["URLHash"] = pa.array(rng.choice([2868770270353813622, 17, 18], HITS))
    columns["RefererHash"] = pa.array(rng.choice([3594120000172545465, 17], HITS))
    for name in ("URL", "Referer", "OriginalURL"):
        paths = rng.integers(0, 300, HITS).astype(str)
        base = rng.choice(hosts, HITS)
        columns[name] = pa.array(np.where(base == "", "", np.char.add(base, paths)))
    return pa.table(columns)


def make(folder):
    flat = folder / "parquet"
    tool = pathlib.Path(sys.executable).parent / "tpchgen-cli"
    subprocess.run([tool, "parquet", "--scale-factor", SCALE, "--output-dir", flat], check=True, capture_output=True)
    parquet.write_table(hits(), flat / "hits.parquet")
    for file in flat.glob("*.parquet"):
        table = parquet.read_table(file)
        plain = [f.with_type(pa.string()) if pa.types.is_string_view(f.type) or pa.types.is_large_string(f.type) else f for f in table.schema]
        lance.write_dataset(table.cast(pa.schema(plain)), str(folder / "lance" / f"{file.stem}.lance"), max_rows_per_file=12_000)


Query = collections.namedtuple("Query", "name sql by limit")


def queries(name):
    """The statements of a file: '-- N' before each, '-- N by C' where the result's order is that of its column C."""
    for part in re.split(r"^-- ", (QUERIES / f"{name}.sql").read_text(), flags=re.M)[1:]:
        head, sql = part.split("\n", 1)
        number, _, by = head.partition(" by ")
        sql = sql.strip().rstrip(";")
        limit = re.search(r"\sLIMIT \d+( OFFSET \d+)?$", sql)
        yield Query(f"{name} {number}", sql, by, limit and limit[0])


def plain(value):
    """A value with which equal results compare equal: means are rounded, as the order of additions is anyone's."""
    return float(f"{value:.10g}") if isinstance(value, float) and not math.isnan(value) else value


def rows(table):
    return [tuple(map(plain, row)) for row in zip(*(c.to_pylist() for c in table.columns))] if table.num_columns else []


checks = Checks()


def compare(query):
    @checks.check(query.name)
    def _(client, reference):
        info = client.get_flight_info(flight.FlightDescriptor.for_command(query.sql))
        got = client.do_get(info.endpoints[0].ticket).read_all()
        want = reference.execute(query.sql).to_arrow_table()
        assert [f.type for f in got.schema] == [f.type for f in want.schema], f"{got.schema.types} instead of {want.schema.types}"
        assert got.num_rows == want.num_rows, f"{got.num_rows} rows instead of {want.num_rows}"
        if query.by:
            column = query.by if not query.by.isdigit() else int(query.by) - 1
            a, b = (list(map(plain, t.column(column).to_pylist())) for t in (got, want))
            assert a == b, f"in another order: {a[:5]} instead of {b[:5]}"
        if query.limit and query.name.startswith("clickbench"):
            # Which of several rows with the same key are left is anyone's choice, but they must be of the whole.
            want = reference.execute(query.sql.removesuffix(query.limit)).to_arrow_table()
            other = collections.Counter(rows(got)) - collections.Counter(rows(want))
            assert not other, f"rows that are none: {list(other)[:2]}"
        elif query.name.startswith("tpch"):
            assert rows(got) == rows(want), f"{rows(got)[:2]} instead of {rows(want)[:2]}"
        else:
            assert collections.Counter(rows(got)) == collections.Counter(rows(want)), f"{rows(got)[:2]} instead of {rows(want)[:2]}"


for name in ("tpch", "clickbench"):
    for query in queries(name):
        compare(query)


def reference(folder):
    connection = duckdb.connect()
    for file in (folder / "parquet").glob("*.parquet"):
        connection.execute(f"CREATE VIEW {file.stem} AS FROM read_parquet('{file}')")
    return connection


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
    else:
        checks.run(flight.connect(f"grpc://{sys.argv[3]}"), reference(pathlib.Path(sys.argv[2])))
