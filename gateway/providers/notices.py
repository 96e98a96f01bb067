"""Whom a notice of an institution concerns: one handler for each prefix of our ids."""

from collections.abc import Callable
from dataclasses import replace

from accounts.base import cells
from gateway.cells.finding import cell_of_id
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Notice
from gateway.providers.registry import declared

Handler = Callable[[Notice, ProviderAccount], bool]
"""Queries the institution about `notice.object_id` at once, outside any transaction, and applies the answer as always.

False: there is nothing of this id at this account; then nothing happens. It is called again for a repeated notice and
in any order, and raises only what the sweep shall retry. The notice itself proves nothing: `told` is only compared.
With an `outcome` or a `dispute` nobody is queried: that is the answer.
"""
_HANDLERS: dict[str, Handler] = {}


def register(prefix: str) -> Callable[[Handler], Handler]:
    """Makes a function the handler of ids that begin with `prefix` and an underscore, as `pay` or `dispute`."""

    def registered(handler: Handler) -> Handler:
        assert prefix not in _HANDLERS
        _HANDLERS[prefix] = handler
        return handler

    return registered


def apply(notice: Notice, account: ProviderAccount) -> bool:
    """Lets the handler of the notice query the institution; False if the id is not one of ours at this account.

    What a notice itself says counts only if its institution is believed.
    """
    if not declared()[account.provider].is_believed:
        notice = replace(notice, outcome=None, dispute=None)
    handler = _HANDLERS.get(notice.object_id.partition("_")[0])
    if handler is None:
        return False
    cell = cell_of_id(notice.object_id)
    with cells.opened(cell):
        is_known = handler(notice, account)
    if is_known or (now := cell_of_id(notice.object_id)) == cell:
        return is_known
    with cells.opened(now):  # its merchant has moved meanwhile
        return handler(notice, account)
