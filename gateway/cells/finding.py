"""Finds the cell of what comes without its merchant: a payer's link, or what an institution tells us about."""

import re
from collections.abc import Callable
from functools import cache

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import OperationalError, connection
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase

from accounts.base import cells
from accounts.base.ids import IdField, is_well_formed
from accounts.base.rows import first, table
from accounts.cells import FAILS, Elsewhere, cell_of, every_cell, everywhere, look_again
from accounts.models import Company, Merchant, Proposal
from gateway.cells.placement import OURS, is_in_cells

_ID = re.compile(r"([a-z]{3,4})_[0-9A-HJKMNP-TV-Z]{26}")


def cell_with(model: type[Model], **equal_to: str) -> str:
    """The name of the cell with such a row. Without one it is that under which all are seen."""
    if not all(map(is_well_formed, equal_to.values())):
        return everywhere()
    found = _among(every_cell(lately=True), model, equal_to)
    if found is None and look_again():
        found = _among(every_cell(), model, equal_to)
    return everywhere() if found is None else found


def _among(names: list[str], model: type[Model], equal_to: dict[str, str]) -> str | None:
    if names == [cells.FIRST]:
        return cells.FIRST
    where = " AND ".join(f"{_column(model, name)} = %({name})s" for name in equal_to)
    each = [f"SELECT '{name}' FROM {name or 'public'}.{table(model)} WHERE {where}" for name in names]
    try:
        if not cells.resting():
            row = first(" UNION ALL ".join(each), equal_to)
            return str(row[0]) if row else None
    except OperationalError:
        if connection.in_atomic_block:
            raise
    return _one_by_one(dict(zip(names, each, strict=True)), equal_to)


def _one_by_one(asked: dict[str, str], equal_to: dict[str, str]) -> str | None:
    """The same where a cell cannot be asked. Raises OperationalError if none of the others has it."""
    failed: OperationalError | None = None
    for name, sql in asked.items():
        try:
            with cells.opened(name):
                if first(sql, equal_to):
                    return name
        except OperationalError as error:
            failed = error
    if failed:
        raise failed
    return None


def cell_of_row(model: type[Model], pk: str) -> str:
    """The same of a row of any table of ours: what is in `public` has the cell of its merchant, if it has one."""
    if is_in_cells(model):
        return cell_with(model, pk=pk)
    if not _has_merchant(model) or every_cell(lately=True) == [cells.FIRST]:
        return everywhere()
    sql = f"SELECT cell_id FROM {table(Merchant)} WHERE id = (SELECT merchant_id FROM {table(model)} WHERE id = %s)"
    row = first(sql, [pk]) if is_well_formed(pk) else None
    return str(row[0] or cells.FIRST) if row else everywhere()


def cell_about(model: type[Model], text: str) -> str:
    """The same of a row of any table by its key as people write it: a proposal has the cell of what it is about, and a
    company that of its books if both are in one.
    """
    pk = _pk(model, text)
    if pk is None:
        return everywhere()
    if model is Proposal:
        about = Proposal.objects.filter(pk=pk).values_list("object_id", flat=True).first() or ""
        return cell_about(Merchant, about) if about.isdecimal() else cell_named_in(about)
    if model in (Company, Merchant):
        living = Merchant.objects.filter(**{"pk" if model is Merchant else "company": pk})
        found = {cell_of(one) for one in living}
        return found.pop() if len(found) == 1 else everywhere()
    return cell_of_row(model, text)


def _pk(model: type[Model], text: str) -> object | None:
    """The key that the text can be."""
    if not is_well_formed(text):
        return None
    key = model._meta.pk
    try:
        pk: object = key.to_python(text)
        key.run_validators(pk)
    except ValidationError:
        return None
    return pk


def cell_of_id(public_id: str) -> str:
    """The same of the row with this id."""
    model = _models().get(public_id.partition("_")[0])
    return cell_of_row(model, public_id) if model else everywhere()


def cell_named_in(text: str) -> str:
    """The same of the first id in the text of which there is a row with a merchant."""
    found = (cell_of_id(named[0]) for named in _ID.finditer(text))
    return next((cell for cell in found if cell != everywhere()), everywhere())


def found_again(
    request: HttpRequest, find: Callable[[], str], answer: Callable[[HttpRequest], HttpResponseBase]
) -> HttpResponseBase:
    """The answer in the cell that is found. One that fails is read once more where the merchant has moved meanwhile.

    Raises Elsewhere for a form that fails so: the same can be sent again.
    """
    cell = find()
    with cells.opened(cell):
        response = answer(request)
    if response.status_code < FAILS or (now := find()) == cell:
        return response
    if request.method not in ("GET", "HEAD"):
        raise Elsewhere
    with cells.opened(now):  # the first response is not closed: that would end the request
        return answer(request)


def _column(model: type[Model], name: str) -> str:
    field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    return str(field.column)  # type: ignore[union-attr]


def _has_merchant(model: type[Model]) -> bool:
    return any(field.name == "merchant" for field in model._meta.concrete_fields)


@cache
def _models() -> dict[str, type[Model]]:
    """What has a merchant or is in cells, by the prefix of its ids."""
    models = (model for model in apps.get_models() if model._meta.app_label in OURS)
    keyed = ((model._meta.pk, model) for model in models if is_in_cells(model) or _has_merchant(model))
    return {key.prefix: model for key, model in keyed if isinstance(key, IdField)}
