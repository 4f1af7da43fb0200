"""Reads a query as a Ray dataset: each endpoint of the result is a block, read by the worker that has it.

    python ray_reader.py HOST:PORT
"""

import sys

import pyarrow.flight as flight
import ray
from ray.data import Datasource, ReadTask
from ray.data.block import BlockMetadata


class FlightDatasource(Datasource):
    def __init__(self, uri, sql, headers=()):
        super().__init__()
        self.uri, self.sql, self.headers = uri, sql, list(headers)

    def estimate_inmemory_data_size(self):
        return None

    def get_read_tasks(self, parallelism, **_):
        options = flight.FlightCallOptions(headers=[*self.headers, (b"x-flightsrv-partitions", str(max(parallelism, 1)).encode())])
        with flight.connect(self.uri) as client:
            info = client.get_flight_info(flight.FlightDescriptor.for_command(self.sql), options)
        unknown = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [ReadTask(reading(self.uri, e.ticket.serialize(), self.headers), unknown, schema=info.schema) for e in info.endpoints]


def reading(uri, ticket, headers):
    def read():
        with flight.connect(uri) as client:
            yield client.do_get(flight.Ticket.deserialize(ticket), flight.FlightCallOptions(headers=headers)).read_all()

    return read


def main(server):
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    source = FlightDatasource(f"grpc://{server}", "SELECT id, kind, account.geo.country AS country FROM events")
    print("several tasks", len(source.get_read_tasks(3)) > 1)
    events = ray.data.read_datasource(source, override_num_blocks=3)
    table = events.to_pandas()
    for kind, ids in sorted(table.groupby("kind")["id"]):
        print(kind, len(ids), ids.nunique())
    ray.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
