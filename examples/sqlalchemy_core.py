"""Queries with SQLAlchemy, through the dialect sqlalchemy-adbc.

    python sqlalchemy_core.py HOST:PORT
"""

import sys

import pandas as pd
import sqlalchemy as sa


def main(server):
    engine = sa.create_engine(f"adbc+flightsql://{server}/?tls=false")  # with users: &username=NAME&password=...
    events = sa.Table("events", sa.MetaData(), autoload_with=engine)
    kinds = (
        sa.select(events.c.kind, sa.func.count().label("n"))
        .where(events.c.kind.in_(["buy", "view"]))
        .group_by(events.c.kind)
        .order_by(events.c.kind)
    )
    with engine.connect() as con:
        for row in con.execute(kinds):
            print(row.kind, row.n)
        hot = sa.text("SELECT id FROM worked WHERE lat.values > :least ORDER BY id")
        print(con.execute(hot, {"least": 20}).scalars().all())
    frame = pd.read_sql(sa.text("SELECT kind, max(id) AS last FROM events WHERE kind = :kind GROUP BY kind"), engine, params={"kind": "buy"})
    print(frame.to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1])
