"""Reads a table, or a query, as a Spark DataFrame: each endpoint of the result is a partition, read by the worker that has it.

    python spark_reader.py HOST:PORT
"""

import os
import sys

import pyarrow.flight as flight
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema


class FlightDataSource(DataSource):
    """Options: uri (grpc://HOST:PORT), sql, partitions, and user and password where the server asks for them."""

    @classmethod
    def name(cls):
        return "flightsrv"

    def schema(self):
        return from_arrow_schema(self.info().schema)

    def reader(self, schema):
        return FlightReader(self.options, self.info())

    def info(self):
        client, headers = connect(self.options)
        headers.append((b"x-flightsrv-partitions", self.options.get("partitions", "8").encode()))
        with client:
            command = flight.FlightDescriptor.for_command(self.options["sql"])
            return client.get_flight_info(command, flight.FlightCallOptions(headers=headers))


class Endpoint(InputPartition):
    def __init__(self, ticket):
        super().__init__(ticket)


class FlightReader(DataSourceReader):
    def __init__(self, options, info):
        self.options = dict(options)
        self.tickets = [e.ticket.serialize() for e in info.endpoints]

    def partitions(self):
        return [Endpoint(t) for t in self.tickets]

    def read(self, partition):
        client, headers = connect(self.options)
        with client:
            ticket = flight.Ticket.deserialize(partition.value)
            for chunk in client.do_get(ticket, flight.FlightCallOptions(headers=headers)):
                yield chunk.data


def connect(options):
    client = flight.connect(options["uri"])
    headers = []
    if "user" in options:
        headers.append(client.authenticate_basic_token(options["user"], options["password"]))
    return client, headers


def main(server):
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers on this machine need the same packages
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.dataSource.register(FlightDataSource)
    events = spark.read.format("flightsrv").options(
        uri=f"grpc://{server}", sql="SELECT id, kind, account.geo.country AS country FROM events", partitions="3"
    ).load()
    print("partitions", events.rdd.getNumPartitions())
    events.createOrReplaceTempView("events")
    for row in spark.sql("SELECT kind, count(*) AS n, count(DISTINCT id) AS ids FROM events GROUP BY kind ORDER BY kind").collect():
        print(row.kind, row.n, row.ids)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
