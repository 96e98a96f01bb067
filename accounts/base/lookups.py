"""Looking up thousands of values at once."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import BooleanField, F, Func, Value
from django.db.models.expressions import Combinable, Expression

from accounts.base.rows import execute


class AnyOf(Func):
    """`filter(AnyOf("name", texts))`: like `name__in=texts`, with all texts as one parameter.

    A statement has at most 65,535 parameters, and thousands of them take longer to send and to plan than to look up.
    """

    template = "%(expressions)s::text[])"
    arg_joiner = " = ANY("
    output_field = BooleanField()

    def __init__(self, name: str | Expression | Combinable, texts: Collection[str]) -> None:
        super().__init__(F(name) if isinstance(name, str) else name, _Texts(list(texts)))


class _Texts(Value):
    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "%s", [self.value]


@contextmanager
def by_index() -> Iterator[None]:
    """Statements of this transaction are planned for few values each, whatever the statistics say, so with an index.

    Tables that were just filled have no statistics, and a plan for thousands of values reads them whole each time.
    """
    execute("SET LOCAL enable_seqscan TO off")
    execute("SET LOCAL plan_cache_mode TO force_generic_plan")
    yield
    execute("SET LOCAL plan_cache_mode TO DEFAULT")
    execute("SET LOCAL enable_seqscan TO DEFAULT")
