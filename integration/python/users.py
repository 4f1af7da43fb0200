"""Logs in through pyarrow.flight and ADBC: users.py HOST:PORT USER PASSWORD [CA]."""

import base64
import sys

import adbc_driver_flightsql.dbapi as adbc
import pyarrow.flight as flight
from adbc_driver_flightsql import DatabaseOptions

from checks import Checks, equal

checks = Checks()
server, user, password = sys.argv[1:4]
ca = open(sys.argv[4], "rb").read() if len(sys.argv) > 4 else None
uri = f"{'grpc+tls' if ca else 'grpc'}://{server}"
SQL = "SELECT count(*) AS n FROM worked"
ANSWER = [{"n": 4}]
WRONG = [(user, password + "x"), (user, ""), ("carl", password), (user.upper(), password)]


def refused(error, f):
    try:
        f()
    except error as e:
        assert "credentials" in str(e), e
        return
    raise AssertionError("was let in")


def connect():
    return flight.connect(uri, **({"tls_root_certs": ca} if ca else {}))


def ask(client, *headers):
    options = flight.FlightCallOptions(headers=list(headers))
    info = client.get_flight_info(flight.FlightDescriptor.for_command(SQL), options)
    return client.do_get(info.endpoints[0].ticket, options).read_all().to_pylist()


@checks.check("pyarrow: a token by Handshake")
def _():
    with connect() as client:
        equal(ask(client, client.authenticate_basic_token(user, password)), ANSWER)
        for who in WRONG:
            refused(flight.FlightUnauthenticatedError, lambda: client.authenticate_basic_token(*who))


class ByPayload(flight.ClientAuthHandler):
    def __init__(self, name, secret):
        super().__init__()
        self.basic, self.token = flight.BasicAuth(name, secret), None

    def authenticate(self, outgoing, incoming):
        outgoing.write(self.basic.serialize())
        self.token = incoming.read()

    def get_token(self):
        return self.token


@checks.check("pyarrow: a token by the older Handshake")
def _():
    with connect() as client:
        client.authenticate(ByPayload(user, password))
        equal(ask(client), ANSWER)
    with connect() as client:
        refused(flight.FlightUnauthenticatedError, lambda: client.authenticate(ByPayload(user, "x")))


@checks.check("pyarrow: a password with each call")
def _():
    with connect() as client:
        basic = base64.b64encode(f"{user}:{password}".encode())
        equal(ask(client, (b"authorization", b"Basic " + basic)), ANSWER)


@checks.check("pyarrow: nothing gets nothing")
def _():
    with connect() as client:
        refused(flight.FlightUnauthenticatedError, lambda: ask(client))
        refused(flight.FlightUnauthenticatedError, lambda: list(client.list_flights()))
        refused(flight.FlightUnauthenticatedError, lambda: client.list_actions())
        refused(flight.FlightUnauthenticatedError, lambda: ask(client, (b"authorization", b"Bearer x")))


def adbc_connect(**options):
    if ca:
        options[DatabaseOptions.TLS_ROOT_CERTS.value] = ca.decode()
    return adbc.connect(uri, db_kwargs=options, autocommit=True)


def adbc_ask(**options):
    with adbc_connect(**options) as con, con.cursor() as cur:
        cur.execute(SQL)
        return cur.fetch_arrow_table().to_pylist()


@checks.check("ADBC")
def _():
    equal(adbc_ask(username=user, password=password), ANSWER)
    for name, secret in WRONG:
        refused(Exception, lambda: adbc_ask(username=name, password=secret))
    refused(Exception, adbc_ask)


@checks.check("ADBC: the session is the user's")
def _():
    with adbc_connect(username=user, password=password) as con, con.cursor() as cur:
        cur.execute("SET timezone = 'Asia/Tokyo'")
        cur.execute("SHOW timezone")
        equal(cur.fetchall(), [("Asia/Tokyo",)])


checks.run()
