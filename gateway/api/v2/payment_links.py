"""Payment links (contract §5.12)."""

from accounts.base.errors import InvalidStatus
from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import TimestampText
from gateway.api.inputs.payment_links import PaymentLinkChangeInput, PaymentLinkInput
from gateway.api.operations import Resource, operation
from gateway.api.pagination import LongListQuery, ResultPage, page_of
from gateway.payment_links import errors, payloads, selectors, services
from gateway.payments.errors import CompanyNotActive


class PaymentLinkFilters(LongListQuery):
    """Filters of payment links."""

    otherwise = InvalidFilter

    status: payloads.LinkStatusName | None = None
    created_from: TimestampText | None = None
    created_to: TimestampText | None = None


class PaymentLinksView(Resource):
    tag = "Payment links"

    @operation(
        "createPaymentLink",
        "payments:write",
        takes=PaymentLinkInput,
        gives=payloads.PaymentLinkPayload,
        status=201,
        success="Payment link created.",
        refuses=[errors.InvalidPaymentLink, CompanyNotActive],
    )
    def post(self, merchant: Merchant, wanted: PaymentLinkInput) -> payloads.PaymentLinkPayload:
        """Create a payment link

        `url` is a page of ours that anyone who has the address can pay at, with the methods that the company can
        take. Payments made there carry `paymentLinkId`, and their events are those of any payment.
        """
        return payloads.payment_link(services.create(merchant, wanted.draft()))

    @operation(
        "listPaymentLinks",
        "transactions:read",
        query=PaymentLinkFilters,
        gives=payloads.PaymentLinkPayload,
        refuses=[InvalidFilter],
    )
    def get(self, merchant: Merchant, query: PaymentLinkFilters) -> ResultPage:
        """List payment links

        Newest first. The payments of one: `GET /payments?paymentLinkId=…`.
        """
        rows, whole = selectors.listed(merchant, **query.filters()), selectors.listed(merchant)
        return page_of(rows, query, payloads.payment_link, whole=whole)


class PaymentLinkView(Resource):
    tag = "Payment links"

    @operation(
        "getPaymentLink",
        "transactions:read",
        gives=payloads.PaymentLinkPayload,
        refuses=[errors.PaymentLinkUnknown],
    )
    def get(self, merchant: Merchant, link_id: str) -> payloads.PaymentLinkPayload:
        """Get a payment link

        `paidCount` counts its payments that were paid, `openCount` those that take a use while they are being paid.
        """
        return payloads.payment_link(selectors.get(merchant, link_id))

    @operation(
        "changePaymentLink",
        "payments:write",
        takes=PaymentLinkChangeInput,
        gives=payloads.PaymentLinkPayload,
        success="Payment link changed.",
        refuses=[InvalidStatus, errors.PaymentLinkUnknown, errors.PaymentLinkState],
    )
    def patch(self, merchant: Merchant, change: PaymentLinkChangeInput, link_id: str) -> payloads.PaymentLinkPayload:
        """Pause, resume or end a payment link

        No new payment begins at a link that is PAUSED or ENDED; one that is open can be paid until it expires.
        """
        return payloads.payment_link(services.change(merchant, link_id, change.state))
