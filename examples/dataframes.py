"""Queries as pandas and polars data frames, through ADBC.

    python dataframes.py HOST:PORT
"""

import sys

import adbc_driver_flightsql.dbapi as flightsql
import pandas as pd
import polars as pl

SQL = """
SELECT kind, count(*) AS n, max(device.os.build.patch.level) AS level
FROM events WHERE kind IS NOT NULL GROUP BY kind ORDER BY kind"""


def main(server):
    with flightsql.connect(f"grpc://{server}", autocommit=True) as con:
        frame = pd.read_sql(SQL, con)
        print(frame.to_string(index=False))
        for row in pl.read_database(SQL, con).iter_rows():
            print(row)


if __name__ == "__main__":
    main(sys.argv[1])
