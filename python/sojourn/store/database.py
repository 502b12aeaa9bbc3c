"""Opens the store, and brings its schema up to date."""

from __future__ import annotations

import getpass
import os
import re
import socket
import sqlite3
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sqlalchemy import URL, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from sojourn.errors import SojournError, UserError
from sojourn.store import backup, checksums
from sojourn.store.schema import REVISIONS
from sojourn.store.settings import Place
from sojourn.store.waiting import Wait

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

BUSY_TIMEOUT_S = 30.0
"""How long a writer of SQLite waits for another one."""
CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 600.0
MOST_NAMED = 5
"""Damaged runs that a sentence names."""
WRITING = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
"""What a connection of SQLite that reads refuses in addition to changes: other files."""
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
SHORT_MS = 100
"""How long SQLite itself waits before a wait is looked at."""
_SYMPTOM = re.compile("decode to UTF-8|no such (?:table|column|index)|datatype mismatch")
READS = "SELECT count(*) FROM sqlite_master"
ADVICE = "`sojourn history repair` keeps what reads, `sojourn history rebuild FOLDER ...` makes it anew from results"
MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 0x50_6A_6F_75
"""Number of the lock of PostgreSQL that one migration at a time holds."""


class StoreError(SojournError):
    """The store does not answer, or refuses what it is given."""


class DamagedRun(StoreError):  # noqa: N818 - the name states the error
    """What the store has of a run is not what was recorded."""

    def __init__(self, numbers: Sequence[int]) -> None:
        """The numbers of the runs."""
        several, rest = len(numbers) > 1, len(numbers) - MOST_NAMED
        shown = ", ".join(map(str, numbers[:MOST_NAMED])) + (f" and {rest} more" if rest > 0 else "")
        super().__init__(
            f"{'runs' if several else 'run'} {shown} {'are' if several else 'is'} damaged, the checksum is another "
            "one: `sojourn history repair` puts aside what is damaged"
        )


class StoreIsNewer(UserError):  # noqa: N818 - the name states the error
    """A later version of Sojourn has changed the schema."""


@contextmanager
def opened(place: Place) -> Iterator[Engine]:
    """The store with the schema of this version; it is created where there is none."""
    with _translated(place):
        engine = engine_of(place)
        try:
            _bring_up_to_date(engine, place)
            yield engine
        finally:
            engine.dispose()


@contextmanager
def read_only(place: Place) -> Iterator[Connection]:
    """A connection that can change nothing, of a store that exists."""
    with _translated(place):
        engine = engine_of(place, read_only=True)
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()


def engine_of(place: Place, *, read_only: bool = False) -> Engine:
    """Connects to the store when it is first used."""
    try:
        url = make_url(place.url.revealed())
    except ArgumentError:
        raise UserError(f"{place.shown} is not the URL of a store") from None
    if url.get_backend_name() == "sqlite":
        return _sqlite_to_read(url) if read_only else _sqlite(url)
    try:
        return _postgresql(url, "SET default_transaction_read_only = on" if read_only else None)
    except ModuleNotFoundError as error:
        raise UserError(f"the store in PostgreSQL needs {error.name}: pip install 'sojourn[store]'") from None


def revision(connection: Connection) -> str | None:
    """The revision of the schema; None of an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def migrate(connection: Connection, to: str = "head") -> None:
    """Brings the schema to a revision, in the connection's transaction."""
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    configuration = Config(attributes={"connection": connection})
    configuration.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(configuration, to)


def _bring_up_to_date(engine: Engine, place: Place) -> None:
    """Migrates, unless the schema is that of this version; `StoreIsNewer` where it is of a later one."""
    with engine.connect().execution_options(reads=True) as connection:
        found = revision(connection)
    if found == REVISIONS[-1]:
        return
    _refuse_newer(found, place)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            _lock_migration(connection, place)
        found = revision(connection)
        _refuse_newer(found, place)
        if found == REVISIONS[-1]:
            return
        file = backup.file_of(place)
        if found is not None and file is not None:
            backup.before_migration(file, found)
        migrate(connection)
        checksums.fill(connection)


def _lock_migration(connection: Connection, place: Place) -> None:
    """Held until the transaction ends."""
    waiting = Wait(f"another program changes the tables of the store {place.shown}", ANSWER_TIMEOUT_S)
    while not connection.execute(text(f"SELECT pg_try_advisory_xact_lock({MIGRATION_LOCK})")).scalar():
        waiting.go_on()


def _refuse_newer(found: str | None, place: Place) -> None:
    if found is not None and found not in REVISIONS:
        raise StoreIsNewer(
            f"the store {place.shown} is of a later version of Sojourn (schema {found}, this version knows "
            f"{REVISIONS[-1]}): install that version; what this one records waits until then"
        )


def _sqlite(url: URL) -> Engine:
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, those that write at once
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "cache_size = -65536",
            "cell_size_check = ON",
        ):
            _unless_busy(connection, f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads")
        driver = connection.connection.driver_connection
        # a transaction that reads has its lock from the first statement on
        _unless_busy(driver, "BEGIN DEFERRED" if reads else "BEGIN IMMEDIATE", READS if reads else "")

    return engine


def _unless_busy(connection: Any, statement: str, then: str = "") -> None:
    """Executes what takes a lock of SQLite; announces that it waits for another program, and gives up in the end."""
    file = connection.execute("PRAGMA database_list").fetchone()[2]
    waiting = Wait(f"another program holds the store {file}", BUSY_TIMEOUT_S)
    connection.execute(f"PRAGMA busy_timeout = {SHORT_MS}")
    while True:
        try:
            connection.execute(statement)
            if then:
                connection.execute(then).fetchall()
            break
        except sqlite3.OperationalError as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if error.sqlite_errorcode & 0xFF not in BUSY:
                raise
            waiting.go_on()
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}")


def _sqlite_to_read(url: URL) -> Engine:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{quote(url.database or '')}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
        _unless_busy(connection, READS)
        connection.execute("PRAGMA query_only = 1")
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in WRITING else sqlite3.SQLITE_OK)
        return connection

    return create_engine("sqlite://", creator=connect)


def _postgresql(url: URL, first: str | None = None) -> Engine:
    from pg8000 import dbapi  # noqa: PLC0415

    query = {name: str(value) for name, value in url.query.items()}
    socket_folder = query.pop("host", None)
    tls = False if socket_folder else _tls(query.pop("sslmode", "prefer"), query.pop("sslrootcert", None))
    if query:
        raise UserError(f"the URL of a store has no {next(iter(query))}; it has sslmode, sslrootcert and host")
    user = url.username or os.environ.get("PGUSER") or getpass.getuser()
    host, port = url.host or "localhost", url.port or 5432

    def connect() -> Any:
        try:
            connection = dbapi.connect(
                user,
                host=host,
                database=url.database or user,
                password=url.password or os.environ.get("PGPASSWORD"),
                sock=_socket(socket_folder, host, port),
                ssl_context=tls,
                application_name="sojourn",
            )
        except OSError as error:
            raise StoreError(f"no connection to the store at {host}: {error.strerror or error}") from None
        if first is not None:
            connection.cursor().execute(first)
            connection.commit()
        return connection

    engine = create_engine("postgresql+pg8000://", creator=connect)
    engine.dialect.use_insertmanyvalues_wo_returning = True  # many rows a statement: a round trip for each is slow
    return engine


def _socket(folder: str | None, host: str, port: int) -> socket.socket:
    """A connection to the server: below `folder` as local programs use it, or by TCP."""
    try:
        if folder is None:
            connected = socket.create_connection((host, port), CONNECT_TIMEOUT_S)
        else:
            connected = socket.socket(socket.AF_UNIX)
            connected.connect(f"{folder}/.s.PGSQL.{port}")
    except OSError as error:
        raise StoreError(f"the store at {folder or host} does not answer: {error.strerror or error}") from None
    connected.settimeout(ANSWER_TIMEOUT_S)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return connected


def _tls(mode: str, authorities: str | None) -> ssl.SSLContext | bool | None:
    """As libpq: `require` encrypts, `verify-ca` and `verify-full` also check who answers."""
    if mode in ("prefer", "allow"):
        return None  # the driver asks the server
    if mode == "disable":
        return False
    if mode not in ("require", "verify-ca", "verify-full"):
        raise UserError(f"sslmode is disable, prefer, require, verify-ca or verify-full, not {mode}")
    context = ssl.create_default_context(cafile=authorities)
    context.check_hostname = mode == "verify-full"
    if mode == "require":
        context.verify_mode = ssl.CERT_NONE
    return context


@contextmanager
def _translated(place: Place) -> Iterator[None]:
    """Raises what a driver raises as `StoreError`, without the statement and without a password."""
    try:
        yield
    except DBAPIError as error:
        raise StoreError(f"the store {place.shown}: {_words(error.orig)}") from None
    except sqlite3.Error as error:
        raise StoreError(f"the store {place.shown}: {_words(error)}") from None
    except SQLAlchemyError as error:
        raise StoreError(f"the store {place.shown}: {error}") from None


def _words(error: Any) -> str:
    """A driver's message, with how to go on; pg8000 gives the fields of the server's as a dictionary."""
    first = error.args[0] if getattr(error, "args", None) else error
    words = str(first.get("M", first)) if isinstance(first, dict) else str(first)
    is_damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in UNREADABLE or _SYMPTOM.search(words)
    return f"{words}; {ADVICE}" if is_damaged else words
