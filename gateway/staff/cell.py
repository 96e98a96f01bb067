"""Opens the cell that a page of the staff admin is about."""

import re
from collections.abc import Callable

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase

from accounts.base import cells
from accounts.base.ids import is_well_formed
from accounts.cells import cell_of, everywhere, streamed_here
from accounts.models import Company, Merchant, Proposal
from gateway.cells.finding import cell_named_in, cell_of_row

STAFF = "/admin/"
ADD, MERCHANT = "add", "merchant"
LONGEST = 200
"""Characters of a value in which an id is looked for."""
_OBJECT = re.compile(r"/admin/(\w+)/(\w+)/([^/]+)/")
GetResponse = Callable[[HttpRequest], HttpResponseBase]


class StaffCellMiddleware:
    """A page of one object works in the cell of its merchant. Lists and overviews show what is in all cells."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(STAFF) or not request.user.is_staff:
            return self.get_response(request)
        with cells.opened(_cell(request)):
            return streamed_here(self.get_response(request))


def _cell(request: HttpRequest) -> str:
    named = _OBJECT.match(request.path_info)
    model = named and _model(named[1], named[2])
    if not named or not model:
        return everywhere()
    if named[3] == ADD:
        return _of_what_is_added(request)
    return _of_row(model, named[3])


def _of_what_is_added(request: HttpRequest) -> str:
    """For the merchant that the form names, or with the row whose id it names."""
    given = [(name, str(value)[:LONGEST]) for said in (request.GET, request.POST) for name, value in said.items()]
    merchants = [value for name, value in given if name == MERCHANT]
    return _of_row(Merchant, merchants[-1]) if merchants else cell_named_in(" ".join(value for _, value in given))


def _of_row(model: type[Model], text: str) -> str:
    pk = _pk(model, text)
    if pk is None:
        return everywhere()
    if model is Proposal:
        about = Proposal.objects.filter(pk=pk).values_list("object_id", flat=True).first() or ""
        return _of_row(Merchant, about) if about.isdecimal() else cell_named_in(about)
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


def _model(app: str, name: str) -> type[Model] | None:
    try:
        return apps.get_model(app, name)
    except LookupError:
        return None
