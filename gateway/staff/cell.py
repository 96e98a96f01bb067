"""Opens the cell that a page of the staff admin is about."""

import re
from collections.abc import Callable

from django.apps import apps
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase

from accounts.cells import everywhere, streamed_here
from accounts.models import Merchant
from gateway.cells.finding import cell_about, cell_named_in, found_again

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
        return found_again(request, lambda: _cell(request), lambda asked: streamed_here(self.get_response(asked)))


def _cell(request: HttpRequest) -> str:
    named = _OBJECT.match(request.path_info)
    model = named and _model(named[1], named[2])
    if not named or not model:
        return everywhere()
    if named[3] == ADD:
        return _of_what_is_added(request)
    return cell_about(model, named[3])


def _of_what_is_added(request: HttpRequest) -> str:
    """For the merchant that the form names, or with the row whose id it names."""
    given = [(name, str(value)[:LONGEST]) for said in (request.GET, request.POST) for name, value in said.items()]
    merchants = [value for name, value in given if name == MERCHANT]
    return cell_about(Merchant, merchants[-1]) if merchants else cell_named_in(" ".join(value for _, value in given))


def _model(app: str, name: str) -> type[Model] | None:
    try:
        return apps.get_model(app, name)
    except LookupError:
        return None
