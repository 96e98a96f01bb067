"""Reads and writes model rows with hand-written SQL.

Three kinds of statements are written out: those that every request waits for, since building one query with the ORM
costs about 250 µs before the database has done anything; those that the ORM cannot say in one statement (claims with
`SKIP LOCKED`, `LATERAL`, `INSERT … SELECT`, writes whose rows come back), where a second one would be a race or a
second round trip; and the proofs of the books, which read whole tables. Everything else uses the ORM. Tables and
columns come from the models, states from their enumerations.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from django.db import DatabaseError, OperationalError, connection, models
from django.db.models.base import ModelState
from psycopg.errors import DeadlockDetected, SerializationFailure

from accounts.base.statements import run, run_in_groups

M = TypeVar("M", bound=models.Model)
Params = Sequence[Any] | Mapping[str, Any]


@cache
def columns(model: type[models.Model], alias: str = "") -> str:
    """The model's columns for SELECT or RETURNING, in the order that `load` expects."""
    prefix = f"{alias}." if alias else ""
    return ", ".join(f'{prefix}"{field.column}"' for field in model._meta.concrete_fields)


def table(model: type[models.Model]) -> str:
    """The model's table, for SQL of our own: a model that moves takes its name along, and imports show who reads it."""
    return model._meta.db_table


def quoted(*values: str) -> str:
    """Values of an enumeration as SQL literals, for statements whose plan depends on them."""
    return ", ".join(f"'{value}'" for value in values)


@cache
def width(model: type[models.Model]) -> int:
    return len(model._meta.concrete_fields)


@cache
def _reader(model: type[models.Model]) -> tuple[list[str], list[tuple[int, Callable[..., Any]]]]:
    fields = model._meta.concrete_fields
    converters = [(n, field.from_db_value) for n, field in enumerate(fields) if hasattr(field, "from_db_value")]
    return [field.attname for field in fields], converters


def load(model: type[M], row: Sequence[Any]) -> M:
    """The instance with the columns in `row`."""
    names, converters = _reader(model)
    values = list(row)
    for n, convert in converters:
        values[n] = convert(values[n], None, connection)
    return model.from_db("default", names, values)


@cache
def _defaults(model: type[models.Model]) -> tuple[dict[str, Any], dict[str, Callable[[], Any]]]:
    fields = model._meta.concrete_fields
    made = {field.attname: field.default for field in fields if field.has_default() and callable(field.default)}
    return {field.attname: field.get_default() for field in fields if field.attname not in made}, made


def new(model: type[M], **values: Any) -> M:
    """An instance that is not stored yet, its columns by their names in Python (`merchant_id`).

    It costs a tenth of what the constructor of the model costs, which looks at every name.
    """
    fixed, made = _defaults(model)
    instance = model.__new__(model)
    missing = {name: make() for name, make in made.items() if name not in values}
    instance.__dict__ = {**fixed, **missing, **values, "_state": ModelState()}
    return instance


def copy_of(instance: M) -> M:
    """The instance as if its row had been read once more. Lists and objects in it are shared: nobody changes them."""
    made = type(instance).__new__(type(instance))
    made.__dict__ = {**instance.__dict__, "_state": ModelState()}
    made._state.adding, made._state.db = False, instance._state.db
    return made


def relate(instance: models.Model, name: str, other: models.Model) -> None:
    """Says which instance a foreign key means, without a look at its type."""
    instance._meta.get_field(name).set_cached_value(instance, other)  # type: ignore[union-attr]


@cache
def insert_into(model: type[models.Model]) -> str:
    """`INSERT INTO … (…) VALUES (…)` for every column without a database default."""
    fields = _written(model)
    names = ", ".join(f'"{field.column}"' for field in fields)
    return f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES ({", ".join(["%s"] * len(fields))})'


@cache
def _written(model: type[models.Model], names: tuple[str, ...] | None = None) -> tuple[Any, ...]:
    if names:
        return tuple(model._meta.get_field(name) for name in names)
    return tuple(field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField))


def values(instance: models.Model, names: Sequence[str] | None = None) -> list[Any]:
    """The instance's values as parameters for `insert_into`, or of the named fields only."""
    return [
        field.get_db_prep_save(getattr(instance, field.attname), connection)
        for field in _written(type(instance), tuple(names) if names else None)
    ]


AT_ONCE = 20_000
"""Rows of one COPY, which has to end within the time of a statement."""


def copy_into(model: type[models.Model], rows: Iterable[Sequence[Any]]) -> None:
    """Stores many rows, each with the plain values of all columns in the order of the model's fields."""
    sql, left = f"COPY {table(model)} ({columns(model)}) FROM STDIN", iter(rows)
    while some := list(islice(left, AT_ONCE)):
        with connection.cursor() as cursor, cursor.copy(sql) as copy:
            for row in some:
                copy.write_row(row)


def first(sql: str, params: Params = ()) -> tuple[Any, ...] | None:
    """Returns the first row of the result; None also for a statement that returns no rows."""
    if answer := run(sql, params):
        return answer.first()
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        row: tuple[Any, ...] | None = cursor.fetchone() if cursor.description else None
        return row


Statement = tuple[str, Params]


def first_of(statements: Sequence[Statement]) -> list[tuple[Any, ...] | None]:
    """The first rows of several statements of the transaction that this thread is in, in one round trip if that can be.

    Raises DatabaseError if one was refused.
    """
    answers = run_in_groups([statements])
    if answers is None:
        return [first(*statement) for statement in statements]
    if answers[0] is None:
        raise DatabaseError("one of several statements was refused")
    return [answer.first() for answer in answers[0]]


def first_of_groups(groups: Sequence[Sequence[Statement]]) -> list[list[tuple[Any, ...] | None] | None]:
    """For each group the first rows of its statements, which only read; None if one of them was refused, or one of a
    group before it.

    All in one round trip, where that can be.
    """
    answers = run_in_groups(groups)
    if answers is None:
        found = [*_until_refused(groups)]
        return [*found, *[None] * (len(groups) - len(found))]
    return [[answer.first() for answer in group] if group is not None else None for group in answers]


def _until_refused(groups: Sequence[Sequence[Statement]]) -> Iterator[list[tuple[Any, ...] | None]]:
    with suppress(DatabaseError):
        for group in groups:
            yield [first(*statement) for statement in group]


def every(sql: str, params: Params = ()) -> list[tuple[Any, ...]]:
    """Returns all rows of the result."""
    if answer := run(sql, params):
        return answer.every()
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


def execute(sql: str, params: Params = ()) -> int:
    """Runs the statement and returns the number of affected rows."""
    if answer := run(sql, params):
        return answer.affected
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return int(cursor.rowcount)


R = TypeVar("R")
TRIES = 3


def retry_on_deadlock(act: Callable[[], R]) -> R:
    """Returns the result of `act`, retried up to three times if PostgreSQL aborts it because of a deadlock."""
    for tries_left in reversed(range(TRIES)):
        try:
            return act()
        except OperationalError as error:
            if not tries_left or not isinstance(error.__cause__, DeadlockDetected | SerializationFailure):
                raise
    raise AssertionError("the last try returns or raises")
