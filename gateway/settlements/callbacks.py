"""What acquirers announce: a settlement report that can be read."""

from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import REPORT, Notice
from gateway.settlements.reports import announce, settles


@register(REPORT)
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Has the report read by the sweep, once."""
    if settles(account) is None:
        return False
    announce(account, notice.object_id.removeprefix(f"{REPORT}_"))
    return True
