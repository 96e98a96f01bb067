"""Runs one statement on the connection of this thread by the calls of libpq.

The cursors of Django and psycopg take about 150 µs of Python for each statement, these calls 15. Connections, values,
errors and transactions are Django's and psycopg's all the same.
"""

import os
import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from re import compile as pattern
from socket import SHUT_RDWR, socket
from time import monotonic
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import psycopg
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg._preparing import Prepare, PrepareManager
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName, error_from_result
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus

from accounts.base import cells

Params = Any
"""A sequence for `%s`, a mapping for `%(name)s`."""

_PLACE = pattern(r"%(?:(%)|(s)|\((\w+)\)s)")
_DONE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


class Answer:
    """What PostgreSQL answered; the values of rows are read when they are asked for."""

    __slots__ = ("_read", "_result")

    def __init__(self, result: Any, read: Any) -> None:
        self._result, self._read = result, read

    def first(self) -> tuple[Any, ...] | None:
        if not self._result.ntuples:
            return None
        self._read.set_pgresult(self._result)
        row: tuple[Any, ...] = self._read.load_row(0, tuple)
        return row

    def every(self) -> list[tuple[Any, ...]]:
        self._read.set_pgresult(self._result)
        rows: list[tuple[Any, ...]] = self._read.load_rows(0, self._result.ntuples, tuple)
        return rows

    @property
    def affected(self) -> int:
        """The number of rows that were written, or read."""
        return self._result.command_tuples or 0


def _connected() -> BaseDatabaseWrapper | None:
    """The connection of this thread, open. None: somebody watches its statements."""
    django = connections["default"]
    if django.execute_wrappers or django.queries_logged:
        return None
    django.validate_no_broken_transaction()
    django.ensure_connection()
    return django


def run(sql: str, params: Params = ()) -> Answer | None:
    """Raises Django's errors. None: somebody watches the statements of this connection, so that they have to go through
    its cursors.
    """
    if (django := _connected()) is None:
        return None
    with django.wrap_database_errors:
        require_awake(sql)
        return _Session.of(django).run(*_bound(sql, params))


def run_in_groups(groups: Sequence[Sequence[tuple[str, Params]]]) -> list[list[Answer] | None] | None:
    """The statements of all groups in one round trip, in one transaction: that of this thread, or one that only reads.
    None in the place of a group of which one was refused, and of all after it: who is behind a lock would wait for it
    as often as there are groups.

    Raises Django's errors about the connection. None: these have to be run one after the other, because somebody
    watches, or they are not prepared yet.
    """
    if (django := _connected()) is None:
        return None
    with django.wrap_database_errors:
        for sql in {sql for group in groups for sql, _ in group}:
            require_awake(sql)
        return _Session.of(django).run_in_groups([[_bound(*one) for one in group] for group in groups])


def _bound(sql: str, params: Params) -> tuple[bytes, Params]:
    text, names = _compiled(sql, cells.current())
    return text, [params[name] for name in names] if names else params


MOST_PREPARED = 400
"""Statements of a connection that stay prepared: each cell has its own, and psycopg's 100 are not enough for four. One
takes 70 kB of PostgreSQL.
"""


class _Prepared(PrepareManager):
    """What is prepared on a connection: as psycopg decides, but that it may stay when a transaction is rolled back."""

    prepared_max = MOST_PREPARED
    stays = False

    def clear(self) -> bool:
        return not self.stays and super().clear()


class Connection(psycopg.Connection[Any]):
    """A connection that works in the cell that is open, and keeps what it has prepared after a refusal."""

    kept: str | None = cells.FIRST
    """The cell in which it works until it is told otherwise. None: nothing is kept, because a pooler may lead each
    transaction to another connection of the server.
    """

    cell: str = cells.FIRST
    """That of its last statement."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._prepared: _Prepared = _Prepared()
        self._seen = {cells.FIRST}
        self._asked_at = 0.0
        _in_use[id(self)] = self

    @property
    def waits_s(self) -> float:
        """For how long it has waited for the answer to a statement; 0 if it does not."""
        is_asked = self.pgconn.transaction_status == TransactionStatus.ACTIVE
        return monotonic() - self._asked_at if is_asked else 0.0

    def lose(self) -> None:
        """Ends the wait of the thread that uses it, for which the connection is lost."""
        with suppress(psycopg.Error, OSError), socket(fileno=os.dup(self.fileno())) as same:
            same.shutdown(SHUT_RDWR)

    def work_in_its_cell(self) -> None:
        """Lets the next statement work there, and the transaction that it begins. Raises OperationalError if the cell
        rests.
        """
        cell, usual, server = cells.current(), self.kept or cells.FIRST, self.pgconn
        self.cell, self._asked_at = cell, monotonic()
        if server.transaction_status != TransactionStatus.IDLE:
            return  # it has begun there, and `move_to_its_cell` moves it
        require_awake()
        if not self.autocommit:
            begins = self._get_tx_start_command()
            if cell == usual:
                _require(server, server.exec_(begins))
            else:
                self._see(cell, cells.sees(cell), begins)
        elif cell != usual:
            if self.kept is None:
                raise psycopg.NotSupportedError("behind a pooler, this works in a cell only within a transaction")
            self.kept = _UNKNOWN  # until PostgreSQL has answered, whatever comes in between
            self._see(cell, cells.sees(cell, kept=True))
            self.kept = cell

    def move_to_its_cell(self) -> None:
        """Lets the rest of a transaction that has begun work in the cell that is open. One that has failed can only be
        rolled back, which leads to where it worked before.
        """
        if self.pgconn.transaction_status == TransactionStatus.INTRANS and {cells.current()} != self._seen:
            require_awake()
            self._see(cells.current(), cells.sees(cells.current()))

    @contextmanager
    def alone_in_its_cell(self) -> Iterator[None]:
        """A statement outside a transaction gets one of its own, if its cell is not kept."""
        server, cell = self.pgconn, cells.current()
        is_alone = self.autocommit and server.transaction_status == TransactionStatus.IDLE
        if self.kept is not None or not cell or not is_alone:
            yield
            return
        require_awake()
        self._see(cell, cells.sees(cell), b"BEGIN")
        try:
            yield
        except BaseException:
            server.exec_(b"ROLLBACK")  # one that is broken says so to whoever asks next
            raise
        _require(server, server.exec_(b"COMMIT"))

    def _see(self, cell: str, sees: str, begins: bytes = b"") -> None:
        """In one round trip, and the first time with a look whether it is so. A transaction that begins is not the one
        that looks: after a query its isolation can no longer be set.
        """
        there = [begins, sees.encode()] if begins else [sees.encode()]
        if cell not in self._seen:
            looks = [*there, cells.is_seen(cell).encode()]
            there = [*looks, b"ROLLBACK", *there] if begins else looks
        try:
            _require(self.pgconn, self.pgconn.exec_(b"; ".join(there)))
        except psycopg.Error:
            if begins and self.pgconn.transaction_status == TransactionStatus.INERROR:
                self.pgconn.exec_(b"ROLLBACK")  # it has never begun
            raise
        self._seen.add(cell)

    def _rollback_gen(self) -> Any:
        """What is prepared stays if nothing has failed in the transaction: we have refused something ourselves.

        After an error of PostgreSQL it is forgotten, as psycopg does after each rollback, because a plan may be what
        has failed. Nothing that we prepare needs what the transaction has made.
        """
        self._prepared.stays = self.pgconn.transaction_status == TransactionStatus.INTRANS
        try:
            yield from super()._rollback_gen()
        finally:
            self._prepared.stays = False

    def forget_after(self, error: psycopg.Error) -> None:
        """Forgets what is prepared if PostgreSQL no longer takes it: a migration has changed a type, or it is gone.
        Outside a transaction nothing else would, and the same statement would fail for as long as there is the
        connection. Whoever took away what was prepared may have taken the cell that it kept as well.
        """
        if isinstance(error, FeatureNotSupported | InvalidSqlStatementName):
            self._prepared.clear()
        if isinstance(error, InvalidSqlStatementName) and self.kept is not None:
            self.kept = _UNKNOWN

    def wait(self, *given: Any, **named: Any) -> Any:
        """For whatever a cursor asks."""
        try:
            return super().wait(*given, **named)
        except psycopg.Error as error:
            self.forget_after(error)
            raise

    def _start_query(self) -> Any:
        self.work_in_its_cell()
        return (yield from super()._start_query())


_UNKNOWN = "?"
_in_use: WeakValueDictionary[int, Connection] = WeakValueDictionary()
os.register_at_fork(after_in_child=_in_use.clear)  # what a process inherits is its parent's


def in_use() -> Iterator[Connection]:
    """The connections of this process, whichever threads use them."""
    return (one for reference in _in_use.valuerefs() if (one := reference()) is not None)


def require_awake(statement: str = "") -> None:
    """Raises OperationalError if the statement would wait for a cell that rests."""
    if cells.is_refused(statement):
        raise psycopg.OperationalError(f"a node does not answer: {', '.join(sorted(cells.resting()))}")


def commit(connection: Connection) -> None:
    """Commits on this connection, in a quarter of the time that psycopg takes. Raises psycopg's errors.

    Like `run`, it returns only when PostgreSQL answers: no signal is handled before.
    """
    server = connection.pgconn
    if server.transaction_status != TransactionStatus.IDLE:
        _require(server, server.exec_(b"COMMIT"))


class _Session:
    """A connection. What is prepared on it, and for how long, decides psycopg, as for statements of its cursors."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.values: Any = Transformer(connection)
        self.read: Any = Transformer(connection)
        self._news, self._either = select.poll(), select.poll()
        self._news.register(connection.fileno(), select.POLLIN)
        self._either.register(connection.fileno(), select.POLLIN | select.POLLOUT)

    @staticmethod
    def of(django: BaseDatabaseWrapper) -> "_Session":
        connection: Any = django.connection
        session: _Session | None = getattr(connection, "onpay_session", None)
        if session is None:
            session = connection.onpay_session = _Session(connection)
        return session

    def run(self, text: bytes, params: Any) -> Answer:
        query, given, formats = self._dumped(text, params)
        if self.connection.kept is None:
            with self.connection.alone_in_its_cell():
                return Answer(self._answer(query, given, formats), self.read)
        return Answer(self._answer(query, given, formats), self.read)

    def run_in_groups(self, groups: list[list[tuple[bytes, Params]]]) -> list[list[Answer] | None] | None:
        connection, known = self.connection, self.connection._prepared
        if known._to_flush or (connection.kept is None and connection.autocommit):
            return None
        asked = [[self._dumped(*one) for one in group] for group in groups]
        if not all(query in known._names for group in asked for query, *_ in group):
            return None
        connection.work_in_its_cell()
        with self._pipeline():
            self._send([one for group in asked for one in group])
            results = iter([*self._results()])
        return [self._answered([*islice(results, len(group))]) for group in asked]

    @contextmanager
    def _pipeline(self) -> Iterator[None]:
        server = self.connection.pgconn
        server.enter_pipeline_mode()
        try:
            yield
        finally:
            if server.status != ConnStatus.BAD:
                server.exit_pipeline_mode()

    def _send(self, statements: list[tuple["_Query", Any, Any]]) -> None:
        server, names = self.connection.pgconn, self.connection._prepared._names
        for query, given, formats in statements:
            names.move_to_end(query)  # what was not used for longest is forgotten first
            server.send_query_prepared(names[query], given, formats)
        server.pipeline_sync()
        while server.flush():  # more than the socket takes at once
            self._either.poll()
            server.consume_input()  # or PostgreSQL would wait for us to read what it has answered

    def _results(self) -> Iterator[Any]:
        """One for each statement."""
        while (result := self._next()) is None or result.status != ExecStatus.PIPELINE_SYNC:
            if result:
                yield result

    def _answered(self, results: list[Any]) -> list[Answer] | None:
        if all(result.status in _DONE for result in results):
            return [Answer(result, self.read) for result in results]
        for result in results:
            if result.status == ExecStatus.FATAL_ERROR:
                self.connection.forget_after(error_from_result(result, encoding="utf-8"))
        return None

    def _next(self) -> Any:
        """What comes next; None between two answers. Lets other threads work meanwhile. Raises OperationalError if the
        connection is lost.
        """
        server = self.connection.pgconn
        while server.is_busy():
            self._news.poll()
            server.consume_input()
        if server.status == ConnStatus.BAD:
            raise psycopg.OperationalError(f"the connection is lost: {server.get_error_message()}")
        return server.get_result()

    def _dumped(self, text: bytes, params: Any) -> tuple["_Query", Any, Any]:
        if not params:
            return _Query(text, ()), None, None
        given = self.values.dump_sequence(params, [PyFormat.AUTO] * len(params))
        return _Query(text, self.values.types or ()), given, self.values.formats

    def _answer(self, query: "_Query", given: Any, formats: Any) -> Any:
        self.connection.work_in_its_cell()
        known, server = self.connection._prepared, self.connection.pgconn
        if known._to_flush:
            self.connection.wait(known.maintain_gen(self.connection))
        prepare, name = known.get(query)  # type: ignore[arg-type]  # of the query it reads text and types
        if prepare is Prepare.NO:
            result = server.exec_params(query.query, given, query.types or None, formats)
        else:
            if prepare is Prepare.SHOULD:
                _require(server, server.prepare(name, query.query, query.types or None))
            result = server.exec_prepared(name, given, formats)
        key = known.maybe_add_to_cache(query, prepare, name)  # type: ignore[arg-type]
        if key is not None:
            known.validate(key, prepare, name, [result])
        try:
            return _require(server, result)
        except psycopg.Error as error:
            self.connection.forget_after(error)
            raise


def _require(server: Any, result: Any) -> Any:
    if result.status in _DONE:
        return result
    if server.status == ConnStatus.BAD and not result.error_field(DiagnosticField.SQLSTATE):
        raise psycopg.OperationalError(f"the connection is lost: {server.get_error_message()}")
    raise error_from_result(result, encoding="utf-8")


class _Query(NamedTuple):
    query: bytes
    types: tuple[int, ...]


@lru_cache(maxsize=4096)
def _compiled(sql: str, cell: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with PostgreSQL's `$1`, as it is prepared for the cell, and the names of its parameters; `%s` has
    none.
    """
    names: list[str] = []
    count = 0

    def numbered(found: Any) -> str:
        nonlocal count
        percent, _, name = found.groups()
        if percent:
            return "%"
        if name is None:
            count += 1
            return f"${count}"
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    text = cells.told_apart(_PLACE.sub(numbered, sql), cell)
    assert not (names and count), "a statement has either names or places"
    return text.encode(), tuple(names)
