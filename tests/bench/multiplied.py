"""Everything that has happened so far, copied many times by SQL: what companies are and have set up stays as it is."""

from collections.abc import Iterator
from importlib import import_module

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models, transaction

from accounts.base.ids import IdField
from accounts.models import AuditEntry, Email, Notification
from gateway.models import (
    AutomaticEvidence,
    BankAccount,
    ChaosRun,
    DisturbedRequest,
    IssuedNumber,
    MethodRule,
    Month,
    MonthFile,
    MonthFilePart,
    MonthPlan,
    PayoutRule,
    PayoutRun,
    PayoutSchedule,
    PriceRule,
    ProviderAccount,
    ProviderRoute,
    ReadinessCheck,
    ReportedRelease,
    SalesChange,
    SalesDay,
    SalesSum,
    SavedView,
    ScheduledReport,
    SettlementDay,
    SingleApprovalLimit,
    WithdrawalRules,
)
from gateway.providers.asking import Asked
from gateway.providers.circuit import Circuit
from ledger.models import (
    Account,
    Balance,
    ClosedBalance,
    ClosedDay,
    Closing,
    Entry,
    Proof,
    ProvedAccount,
    ProvedBlock,
    Rate,
    Round,
    Seal,
)
from webhooks.models import Endpoint

Model = type[models.Model]
Field = models.Field  # type: ignore[type-arg]

APPS = {"gateway", "ledger", "webhooks"}
HAPPENS_TO_PEOPLE: set[Model] = {AuditEntry, Email, Notification}
STAYS: set[Model] = {
    Account, Asked, AutomaticEvidence, Balance, BankAccount, ChaosRun, Circuit, ClosedBalance, ClosedDay, Closing,
    DisturbedRequest, Endpoint, IssuedNumber, MethodRule, Month, MonthFile, MonthFilePart, MonthPlan, PayoutRule,
    PayoutRun, PayoutSchedule, PriceRule, Proof, ProvedAccount, ProvedBlock, ProviderAccount, ProviderRoute,
    Rate, ReadinessCheck, ReportedRelease, Round, SalesChange, SalesDay, SalesSum, SavedView, ScheduledReport, Seal,
    SettlementDay, SingleApprovalLimit, WithdrawalRules,
}  # fmt: skip
APART = "2 minutes"
"""So long before each other the copies happened."""
FAR = 10_000_000
"""So far apart are the numbers of copies."""

_UNIQUE = """
    SELECT c.relname, array_agg(a.attname::text)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indisunique AND NOT i.indisprimary AND n.nspname = 'public'
     GROUP BY c.relname, i.indexrelid
"""
_BEFORE = (
    "CREATE TEMP TABLE written AS TABLE ledger_entry",
    "DELETE FROM ledger_entry",
    "UPDATE ledger_transfer SET created_at = posted_at",
    "UPDATE ledger_balance SET amount = amount * %(times)s, version = version * %(times)s",
    "DELETE FROM gateway_salessum",
    "DELETE FROM gateway_salesday",
    "DELETE FROM gateway_saleschange",
    "DELETE FROM ledger_provedaccount",
    "DELETE FROM ledger_round",
    "DELETE FROM ledger_seal",
    "DELETE FROM ledger_closing",
    "DELETE FROM ledger_closedbalance",
    "DELETE FROM ledger_closedday",
)


def multiply(times: int) -> None:
    """Makes so many of everything that happened. The books are good for reading only."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in _BEFORE:
            cursor.execute(statement, {"times": times} if "%" in statement else None)
        for statement in _Copies(times):
            cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = origin")
        cursor.execute(import_module("gateway.migrations.0049_sales_of_the_past").SUM_UP)


class _Copies:
    """The statements that copy each table: `k` is the number of the copy, 0 what is there already."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.models = {model for model in apps.get_models() if _happens(model)}
        keys = (model._meta.pk for model in self.models)
        prefixes = "|".join(sorted(key.prefix for key in keys if isinstance(key, IdField)))
        self.ids = rf"\m((?:{prefixes})_[0-9A-Z]{{10}})[0-9A-Z]{{8}}([0-9A-Z]{{8}})\M"
        with connection.cursor() as cursor:
            cursor.execute(_UNIQUE)
            self.unique = [(table, set(columns)) for table, columns in cursor.fetchall()]

    def __iter__(self) -> Iterator[str]:
        for model in sorted(self.models, key=lambda one: one._meta.db_table):
            fields = [field for field in model._meta.concrete_fields if not getattr(field, "generated", False)]
            apart = self._told_apart(model, fields)
            columns = ", ".join(f'"{field.column}"' for field in fields)
            values = ", ".join(self._value(model, field, by_itself=field.column in apart) for field in fields)
            source, first = ("written", 0) if model is Entry else (model._meta.db_table, 1)
            yield (
                f"INSERT INTO {model._meta.db_table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {values} "
                f"FROM {source} CROSS JOIN generate_series({first}, {self.times - 1}) k"
            )
            key = model._meta.pk
            if isinstance(key, models.AutoField | models.BigAutoField):
                table = model._meta.db_table
                sequence = f"pg_get_serial_sequence('{table}', '{key.column}')"
                yield f"SELECT setval({sequence}, max({key.column}) + 1) FROM {table}"

    def _told_apart(self, model: Model, fields: list[Field]) -> set[str]:
        """The columns without which a copy would be what there may be only one of."""
        by_column = {field.column: field for field in fields}
        found = set()
        for table, columns in self.unique:
            if table == model._meta.db_table and not any(self._changes(by_column[name]) for name in columns):
                told_apart = [name for name in sorted(columns) if _can_be_told_apart(by_column[name])]
                assert told_apart, f"{table} may have only one row of {columns}"
                found.add(told_apart[0])
        return found

    def _changes(self, field: Field) -> bool:
        if isinstance(field, models.ForeignKey):
            return field.related_model in self.models
        names_another = field.name in ("object_id", "posting")
        return field.primary_key or names_another or isinstance(field, models.DateTimeField)

    def _value(self, model: Model, field: Field, *, by_itself: bool) -> str:
        column = f'"{field.column}"'
        if model is Entry and field.name in ("sequence", "balance_after"):
            return f"{column} * {self.times}" + (" - k" if field.name == "sequence" else "")
        kind: Field = field
        while isinstance(kind, models.ForeignKey):
            kind = kind.target_field
        if isinstance(kind, models.CharField | models.TextField):
            return self._text(column, kind, by_itself=by_itself or (kind.primary_key and self._changes(field)))
        if isinstance(kind, models.JSONField | ArrayField):
            return f"{self._renamed(f'{column}::text')}::{kind.db_type(connection)}"
        if isinstance(kind, models.DateTimeField):
            return f"{column} - k * interval '{APART}'"
        return self._number(column, kind) if by_itself or self._changes(field) else column

    def _text(self, column: str, kind: Field, *, by_itself: bool) -> str:
        renamed = self._renamed(column)
        if not by_itself or isinstance(kind, IdField):
            return renamed
        return f"CASE {column} WHEN '' THEN '' ELSE left({renamed}, {kind.max_length or 1000} - 4) || '-' || k END"

    def _number(self, column: str, kind: Field) -> str:
        if isinstance(kind, models.IntegerField):
            return f"{column} + k * {FAR}::bigint"
        if isinstance(kind, models.BinaryField):
            return f"substr({column}, 5) || int4send(k)"
        return "gen_random_uuid()" if isinstance(kind, models.UUIDField) else column

    def _renamed(self, text: str) -> str:
        """The ids in it become those of the copy, which stand beside them and which nobody draws by chance."""
        return rf"regexp_replace({text}, '{self.ids}', '\1ZZZZ' || lpad(k::text, 4, '0') || '\2', 'g')"


def _happens(model: Model) -> bool:
    if model._meta.app_label in APPS:
        return model not in STAYS and not model.__name__.startswith("Historical")
    return model in HAPPENS_TO_PEOPLE


def _can_be_told_apart(field: Field) -> bool:
    if isinstance(field, models.CharField | models.TextField):
        return not field.choices
    return isinstance(field, models.BinaryField | models.IntegerField | models.UUIDField) and not field.is_relation
