"""A table of 500 MB of numbers, texts and lists that do not compress, and three ways to read it.

python large.py make DIR             writes DIR/large.lance
python large.py read HOST:PORT       reads it through the server and prints PASS or FAIL
python large.py stall HOST:PORT      has many streams open that nobody reads on
"""

import sys
import time

import lance
import numpy as np
import pyarrow as pa
import pyarrow.flight as flight

from checks import Checks, equal

ROWS, BATCHES = 50_000, 10
TEXT, ITEMS = 400, 75
SEED = 5
STALLED = 50


def batches():
    rng = np.random.default_rng(SEED)
    for b in range(BATCHES):
        raw = rng.integers(33, 126, size=ROWS * TEXT, dtype=np.uint8)
        offsets = np.arange(0, ROWS * TEXT + 1, TEXT, dtype=np.int32)
        text = pa.Array.from_buffers(pa.utf8(), ROWS, [None, pa.py_buffer(offsets), pa.py_buffer(raw)])
        ends = pa.array(np.arange(0, ROWS * ITEMS + 1, ITEMS, dtype=np.int32))
        items = pa.ListArray.from_arrays(ends, pa.array(rng.random(ROWS * ITEMS)))
        ids = np.arange(b * ROWS, (b + 1) * ROWS)
        yield pa.record_batch([pa.array(ids), pa.array(rng.random(ROWS)), text, items], names=["id", "x", "text", "items"])


def make(folder):
    first = next(batches())
    reader = pa.RecordBatchReader.from_batches(first.schema, batches())
    lance.write_dataset(reader, f"{folder}/large.lance", max_rows_per_file=100_000)


checks = Checks()


def stream(client, sql):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(sql))
    for chunk in client.do_get(info.endpoints[0].ticket):
        assert chunk.data.nbytes < 4 << 20, f"a batch of {chunk.data.nbytes} bytes"
        yield chunk.data


@checks.check("whole")
def _(client):
    written = batches()
    want = next(written)
    at = rows = 0
    for got in stream(client, "SELECT * FROM large"):
        rows += got.num_rows
        while got.num_rows:
            n = min(got.num_rows, want.num_rows - at)
            assert got.slice(0, n).equals(want.slice(at, n)), f"other values after row {rows}"
            got, at = got.slice(n), at + n
            if at == want.num_rows:
                want, at = next(written, want), 0
    equal(rows, ROWS * BATCHES)


@checks.check("half")
def _(client):
    want = sum(int((b.column("x").to_numpy() < 0.5).sum()) for b in batches())
    equal(sum(b.num_rows for b in stream(client, "SELECT * FROM large WHERE x < 0.5")), want)


@checks.check("sorted")
def _(client):
    rows, last = 0, -1.0
    for b in stream(client, "SELECT * FROM large ORDER BY x"):
        x = b.column("x").to_numpy()
        assert x[0] >= last and (np.diff(x) >= 0).all(), f"out of order after row {rows}"
        rows, last = rows + b.num_rows, x[-1]
    equal(rows, ROWS * BATCHES)


stalling = Checks()


@stalling.check("stalled streams")
def _(address):
    readers = []
    for _ in range(STALLED):
        client = flight.connect(address)
        info = client.get_flight_info(flight.FlightDescriptor.for_command("SELECT * FROM large"))
        reader = client.do_get(info.endpoints[0].ticket)
        assert reader.read_chunk().data.num_rows > 0
        readers.append((client, reader))
    time.sleep(1)  # for what the server reads ahead
    with flight.connect(address) as client:
        equal(sum(b.num_rows for b in stream(client, "SELECT id FROM large")), ROWS * BATCHES)
    for client, reader in readers:
        reader.cancel()
        client.close()


if __name__ == "__main__":
    match sys.argv[1]:
        case "make":
            make(sys.argv[2])
        case "read":
            checks.run(flight.connect(f"grpc://{sys.argv[2]}"))
        case "stall":
            stalling.run(f"grpc://{sys.argv[2]}")
