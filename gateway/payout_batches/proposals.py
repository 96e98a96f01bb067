"""What takes two people about a batch: releasing it, and handing its file out once more."""

import hashlib
from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.audit import Actor
from accounts.base.rows import first, table
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.payout_batches import drops, files, services
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.payout_batches.selectors import unanswered
from gateway.withdrawals.models import Withdrawal
from ledger.notation import plain_amount

State = PayoutBatch.State
_CONTENT = f"""
    SELECT encode(sha256(string_agg(
               concat_ws('|', o.number, w.id, w.status, w.rail, w.payout_currency, w.payout_amount,
                         encode(sha256(w.sealed_destination), 'hex')),
               E'\\n' ORDER BY o.number)::bytea), 'hex')
      FROM {table(BatchOrder)} o JOIN {table(Withdrawal)} w ON w.id = o.withdrawal_id WHERE o.batch_id = %s
"""


class BatchKind(ProposalKind):
    """A decision about one batch. What is confirmed includes its content and the credentials of its account."""

    permission = "gateway.change_payoutbatch"

    def hold(self, object_id: str) -> PayoutBatch:
        """Raises ONP404_PAYOUT_BATCH."""
        return services.hold(object_id)

    def before(self, record: PayoutBatch) -> dict[str, Any]:
        row = first(_CONTENT, [record.pk])
        sealed = hashlib.sha256(bytes(record.account.sealed_credentials)).hexdigest()
        return {
            "state": record.state,
            "pay_on": record.pay_on.isoformat(),
            "content": row[0] if row else "",
            "credentials": sealed,
            "downloads": [record.downloads, record.downloads_allowed],
        }

    def company_ids(self, record: PayoutBatch) -> Iterable[str]:
        found = BatchOrder.objects.filter(batch=record).values_list("withdrawal__merchant__company", flat=True)
        return list(found.distinct())

    def facts(self, record: PayoutBatch) -> list[tuple[str, str]]:
        return [
            (gettext("Account"), str(record.account)),
            (gettext("Orders"), f"{record.count}, {plain_amount(record.total, record.currency)}"),
            (gettext("To be paid on"), record.pay_on.isoformat()),
        ]


@register
class ReleaseBatch(BatchKind):
    name = "payout_batch.release"
    title = _("Release a batch of withdrawals")

    def require(self, record: PayoutBatch, values: Values) -> None:
        """Raises ONP409_PAYOUT_BATCH_STATE and ONP409_PAYOUT_BATCH_CHANGED."""
        services.require_state(record, State.OPEN)
        services.require_payable(record, services.orders_of(record), is_in_file=False)

    def sentence(self, record: PayoutBatch, values: Values) -> str:
        way = files.way_of(record.account)
        if way and way.folder:
            return gettext(
                "The file is written, once. It is dropped in the bank's folder at once. Until it is handed over the "
                "batch can be canceled; afterwards only the bank's answers end its withdrawals."
            )
        return gettext(
            "The file is written, once. People download it. Until it is handed over the batch can be canceled; "
            "afterwards only the bank's answers end its withdrawals."
        )

    def lines(self, record: PayoutBatch, values: Values) -> list[tuple[str, str]]:
        orders = BatchOrder.objects.filter(batch=record).select_related("withdrawal__merchant__company")
        largest = [
            (one.withdrawal.pk, f"{plain_amount(one.amount, record.currency)}, {one.withdrawal.merchant.company}")
            for one in orders.order_by("-amount")[:10]
        ]
        return [*self.facts(record), *largest]

    def carry_out(self, record: PayoutBatch, values: Values, *, by: Actor, note: str) -> Carried:
        released = services.release(by, record, note)
        return Carried(
            released,
            ngettext("%(batch)s was written: %(n)s order.", "%(batch)s was written: %(n)s orders.", released.count)
            % {"batch": released, "n": released.count},
        )


@register
class DownloadAgain(BatchKind):
    name = "payout_batch.download_again"
    title = _("Download a payment file once more")

    def require(self, record: PayoutBatch, values: Values) -> None:
        """Raises ONP409_PAYOUT_BATCH_STATE."""
        services.require_state(record, State.HANDED_OVER)

    def sentence(self, record: PayoutBatch, values: Values) -> str:
        return gettext(
            "THE FILE WAS HANDED OVER ALREADY. Whoever gives it to the bank again pays every order of it twice. "
            "Continue only if the bank has confirmed in writing that it never received it."
        )

    def lines(self, record: PayoutBatch, values: Values) -> list[tuple[str, str]]:
        return [*self.facts(record), (gettext("Handed over at"), f"{record.handed_over_at:%Y-%m-%d %H:%M} UTC")]

    def carry_out(self, record: PayoutBatch, values: Values, *, by: Actor, note: str) -> Carried:
        return Carried(services.allow_download(by, record, note), gettext("The file can be downloaded once more."))


@register
class PutBack(BatchKind):
    name = "payout_batch.put_back"
    title = _("Record that the bank refused the whole file")

    def require(self, record: PayoutBatch, values: Values) -> None:
        """Raises ONP409_PAYOUT_BATCH_STATE."""
        services.require_state(record, State.HANDED_OVER)

    def sentence(self, record: PayoutBatch, values: Values) -> str:
        return gettext(
            "Orders about which the bank has said nothing wait for another file. If it pays this one nevertheless, "
            "they are paid twice. Continue only if the bank has confirmed in writing that it will pay nothing of it. "
            "Orders that it has answered, even if only as accepted or uncertain, stay as they are: record what became "
            "of them one by one."
        )

    def lines(self, record: PayoutBatch, values: Values) -> list[tuple[str, str]]:
        open_ones = unanswered(record).count()
        live = BatchOrder.objects.filter(batch=record, is_live=True).count()
        return [
            *self.facts(record),
            (gettext("Orders without an answer, for another file"), str(open_ones)),
            (gettext("Orders that stay as they are"), str(live - open_ones)),
        ]

    def carry_out(self, record: PayoutBatch, values: Values, *, by: Actor, note: str) -> Carried:
        return Carried(
            services.put_back(by, record, note),
            gettext("What the bank said nothing about waits for another file."),
        )


@register
class ClearDrop(BatchKind):
    """Values: `was_dropped`, "yes" or "no", as people found out at the bank."""

    name = "payout_batch.clear_drop"
    title = _("Say whether a file was dropped")

    def require(self, record: PayoutBatch, values: Values) -> None:
        """Raises ONP409_PAYOUT_BATCH_STATE."""
        services.require_state(record, State.UNCERTAIN)

    def sentence(self, record: PayoutBatch, values: Values) -> str:
        if values["was_dropped"] == "yes":
            return gettext("The bank has the file. Nothing is sent again.")
        return gettext(
            "The file is dropped again. If the bank has it already, every order of it is paid twice. Continue only if "
            "the bank has confirmed in writing that it never received the file."
        )

    def lines(self, record: PayoutBatch, values: Values) -> list[tuple[str, str]]:
        return [
            *self.facts(record),
            (gettext("The bank has the file"), gettext("yes") if values["was_dropped"] == "yes" else gettext("no")),
        ]

    def carry_out(self, record: PayoutBatch, values: Values, *, by: Actor, note: str) -> Carried:
        cleared = drops.clear(by, record, note, was_dropped=values["was_dropped"] == "yes")
        return Carried(
            cleared, gettext("%(id)s is %(status)s.") % {"id": cleared, "status": cleared.get_state_display().lower()}
        )
