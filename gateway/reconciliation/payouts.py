"""Payouts of acquirers in statements: one line, which is of every company whose payments it pays."""

from collections.abc import Collection, Iterable

from django.db.models import QuerySet, Sum

from gateway.providers.settlements import LineKind as SettledKind
from gateway.reconciliation.matching import NOTHING, Part, Verdict
from gateway.reconciliation.models import BankLine, LineKind, LinePart
from gateway.settlements.models import SettlementLine
from gateway.suspense.models import LineCause
from ledger.chart import AccountKind


def known(linked: Collection[str], currency: str) -> tuple[frozenset[str], frozenset[int]]:
    """Ids and amounts of all payouts of these accounts: a line with none of them is no payout."""
    paid = SettlementLine.objects.filter(account__in=linked, kind=SettledKind.PAYOUT, currency=currency)
    found = list(paid.exclude(payout="").values_list("payout", "net"))
    return frozenset(payout for payout, _ in found), frozenset(-net for _, net in found)


def named(linked: Collection[str], names: Iterable[str], line: BankLine) -> Verdict:
    """The payout that the line names, if no other line is that payout."""
    found = _payouts(linked, line).filter(payout__in=list(names)).order_by("pk").first()
    if found is None:
        return NOTHING
    about = f"It names payout {found.payout}."
    if is_explained(found):
        return Verdict(cause="PAID_TWICE", note=about)
    if -found.net != line.amount:
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, note=about)
    return Verdict(parts_of(found))


def of_amount(linked: Collection[str], line: BankLine) -> Verdict:
    """The only payout of this amount in the days before the line that no line is yet."""
    found = [
        one
        for one in _payouts(linked, line).filter(net=-line.amount).order_by("pk")
        if -1 <= (line.booked_on - one.day).days <= 7 and not is_explained(one)
    ]
    return Verdict(parts_of(found[0])) if len(found) == 1 else NOTHING


def _payouts(linked: Collection[str], line: BankLine) -> QuerySet[SettlementLine]:
    """Locked: two lines never explain one."""
    paid = SettlementLine.objects.select_for_update(no_key=True)
    return paid.filter(account__in=linked, kind=SettledKind.PAYOUT, currency=line.currency).exclude(payout="")


def is_explained(payout: SettlementLine) -> bool:
    """Whether a line is this payout."""
    return LinePart.objects.filter(kind=LineKind.ACQUIRER, object_id=key(payout), undone_by="").exists()


def key(payout: SettlementLine) -> str:
    """The payout's id, which is the acquirer's own and so unique at its account only."""
    return payout.pk


def parts_of(payout: SettlementLine) -> tuple[Part, ...]:
    """What each company's book says was paid out to it; the rest is the owner's: fees of ours, and what waits."""
    paid = SettlementLine.objects.filter(
        account=payout.account_id, payout=payout.payout, currency=payout.currency, paid_out_at__isnull=False
    )
    totals = paid.values_list("merchant").annotate(total=Sum("net")).order_by("merchant")
    parts = [_part(payout, total, merchant) for merchant, total in totals if total]
    rest = -payout.net - sum(part.amount for part in parts)
    return (*parts, *([_part(payout, rest, None)] if rest else []))


def _part(payout: SettlementLine, amount: int, merchant_id: int | None) -> Part:
    return Part(LineKind.ACQUIRER, amount, AccountKind.BANK, "", key(payout), merchant_id)
