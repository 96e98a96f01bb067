"""Withdrawals: four rails, preflight, lookup and list (contract §11)."""

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, ClassVar

from django.http import HttpRequest
from pydantic import Field

from accounts.base.client_address import client_address
from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.services import remember_refused_origin
from accounts.waits.errors import WithdrawalsWait
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import Text, TimestampText, parsed
from gateway.api.inputs.withdrawals import (
    BankWithdrawalInput,
    CryptoWithdrawalInput,
    PixWithdrawalInput,
    SpeiWithdrawalInput,
    WithdrawalInput,
)
from gateway.api.operations import Rehearsal, Resource, operation
from gateway.api.pagination import LongListQuery, ResultPage, page_of
from gateway.api.v2.balances import WalletCurrency
from gateway.api.v2.withdrawal_preflights import PreflightPayload, gate_payload, price_payload
from gateway.payments.errors import (
    CompanyNotActive,
    DuplicateReference,
)
from gateway.payouts import errors as rails
from gateway.payouts.rail import PayoutOrder
from gateway.requests.idempotency import Unfinished
from gateway.withdrawals import errors, payloads, selectors
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.preflight import PreflightDraft, preflight
from gateway.withdrawals.rules import errors as own_rules
from ledger.books.errors import InsufficientBalance


class WithdrawalFilters(LongListQuery):
    """Which withdrawals."""

    otherwise = InvalidFilter

    status: payloads.StatusName | None = None
    rail: payloads.RailLiteral | None = None
    currency: WalletCurrency | None = None
    reference: Annotated[Text, Field(max_length=128)] | None = None
    created_from: TimestampText | None = None
    created_to: TimestampText | None = None


PREFLIGHT = Rehearsal(gives=PreflightPayload, success="Preflight.")
REFUSED = (
    errors.UnregisteredOrigin,
    CompanyNotActive,
    errors.OtherCompany,
    rails.WithdrawalDisabled,
    WithdrawalsWait,
    DuplicateReference,
    rails.WithdrawalTooSmall,
    rails.WithdrawalTooLarge,
    own_rules.BeneficiaryUnknown,
    own_rules.BeneficiaryCoolingOff,
    own_rules.DayLimit,
    own_rules.BeneficiaryLimit,
    InsufficientBalance,
    rails.WithdrawalNotConnected,
    rails.PayoutUnavailable,
)
Answer = payloads.WithdrawalPayload | Unfinished


def _declared(kind: type[WithdrawalInput], *further: type[Refusal]) -> dict[str, Any]:
    return {
        "takes": kind,
        "gives": payloads.WithdrawalPayload,
        "status": 201,
        "success": "Withdrawal accepted.",
        "registered_origin": True,
        "rehearsal": PREFLIGHT,
        "refuses": [*kind.codes.values(), *REFUSED, *further],
    }


class RailView(Resource):
    """Shared by the four rails."""

    tag = "Withdrawals"
    body: ClassVar[type[WithdrawalInput]]

    def accept(self, merchant: Merchant, wanted: WithdrawalInput) -> Answer:
        return self._begun(merchant, self._order(merchant, wanted), None, tries=1)

    def resume(self, merchant: Merchant, begun: str, *arguments: Any, **path: str) -> Answer:
        """The provider was unavailable; it may accept the order now."""
        return self._begun(merchant, self._order(merchant, arguments[0]), begun, tries=2)

    def _begun(self, merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None, *, tries: int) -> Answer:
        found = withdrawals.begin(merchant, draft, withdrawal_id)
        if not isinstance(found, PayoutOrder):
            return payloads.withdrawal(found)
        return Unfinished(
            found.withdrawal_id,
            ask=partial(withdrawals.admit, merchant, found, tries=tries),
            take=lambda _: payloads.withdrawal(withdrawals.create(merchant, draft, found.withdrawal_id)),
        )

    def _order(self, merchant: Merchant, wanted: WithdrawalInput) -> WithdrawalDraft:
        requester = Requester.of_key(self.request.auth)  # type: ignore[arg-type]
        return replace(wanted.draft(merchant, requester), origin=client_address(self._http))

    @property
    def _http(self) -> HttpRequest:
        return self.request._request

    def rehearse(self, merchant: Merchant, content: dict[str, Any], permission: Refusal | None) -> PreflightPayload:
        origin = client_address(self._http)
        draft = self._draft(merchant, content, permission)
        found = preflight(merchant, draft)
        if any(gate.name == "REGISTERED_IP" and not gate.holds for gate in found.gates):
            remember_refused_origin(merchant, str(origin) if origin else None)
        return {
            "wouldBeAccepted": found.passes,
            "approvalsRequired": found.approvals,
            "origin": str(origin) if origin else None,
            "registeredIp": None if permission else merchant.company.withdrawal_ip,
            **price_payload(draft, found),
            "gates": [gate_payload(gate) for gate in found.gates],
        }

    def _draft(self, merchant: Merchant, content: dict[str, Any], permission: Refusal | None) -> PreflightDraft:
        """The valid members of the body."""
        wanted, refusal = parsed(self.body, content, merchant)
        wrong_ones = {fault.field for fault in refusal.faults} if refusal else set()
        right = {name: value for name, value in content.items() if name not in wrong_ones}
        amount, least = right.get("amount"), right.get("minimumAssetAmount")
        return PreflightDraft(
            rail=self.body.rail,
            origin=client_address(self._http),
            permission=permission,
            may_read_balance="balances:read" in self.request.auth.permissions,  # type: ignore[union-attr]
            body=refusal,
            company_id=_stripped(right.get("companyId")),
            amount=Decimal(amount) if amount is not None else None,
            currency=right.get("currency"),
            payout_currency=self.body.paid_out(right),
            reference=_stripped(right.get("reference")),
            destination=wanted.draft(merchant, Requester()).destination if wanted and not refusal else None,
            minimum_payout=Decimal(least) if least is not None else None,
        )


def _stripped(text: str | None) -> str | None:
    return text.strip() if text else None


class PixWithdrawalsView(RailView):
    body = PixWithdrawalInput

    @operation("createPixWithdrawal", "withdrawals:write", **_declared(PixWithdrawalInput))
    def post(self, merchant: Merchant, wanted: PixWithdrawalInput) -> Answer:
        """Withdraw over PIX

        To a key at any Brazilian bank. Amount and fee are held until `withdrawal.completed` or
        `withdrawal.failed`. Only from the registered IP address; `?dryRun=true` returns every condition at once
        and does nothing.
        """
        return self.accept(merchant, wanted)


class SpeiWithdrawalsView(RailView):
    body = SpeiWithdrawalInput

    @operation("createSpeiWithdrawal", "withdrawals:write", **_declared(SpeiWithdrawalInput))
    def post(self, merchant: Merchant, wanted: SpeiWithdrawalInput) -> Answer:
        """Withdraw over SPEI

        To the CLABE of any Mexican bank. Only from the registered IP address; `?dryRun=true` does nothing.
        """
        return self.accept(merchant, wanted)


class BankWithdrawalsView(RailView):
    body = BankWithdrawalInput

    @operation("createBankTransferWithdrawal", "withdrawals:write", **_declared(BankWithdrawalInput))
    def post(self, merchant: Merchant, wanted: BankWithdrawalInput) -> Answer:
        """Withdraw by bank transfer

        In ARS to a CBU, a CVU or an alias; in COP and in BRL to an account (BRL: sent as PIX or TED). Members of
        another currency are rejected. Only from the registered IP address; `?dryRun=true` does nothing.
        """
        return self.accept(merchant, wanted)


class CryptoWithdrawalsView(RailView):
    body = CryptoWithdrawalInput

    @operation("createCryptoWithdrawal", "withdrawals:write", **_declared(CryptoWithdrawalInput, errors.RateChanged))
    def post(self, merchant: Merchant, wanted: CryptoWithdrawalInput) -> Answer:
        """Withdraw crypto

        `amount` is debited from the wallet of `currency` and converted to USDT (TRC20) or BTC at the current
        rate, less your spread; the network fee is deducted from the result. It cannot be recalled. Only from the
        registered IP address; `?dryRun=true` does nothing.
        """
        return self.accept(merchant, wanted)


class WithdrawalsView(Resource):
    tag = "Withdrawals"

    @operation(
        "listWithdrawals",
        "withdrawals:read",
        query=WithdrawalFilters,
        gives=payloads.WithdrawalPayload,
        registered_origin=True,
        refuses=[errors.UnregisteredOrigin, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: WithdrawalFilters) -> ResultPage:
        """List withdrawals

        Newest first. If a response was lost, find the withdrawal by its `reference`.
        """
        rows, whole = selectors.listed(merchant, **query.filters()), selectors.listed(merchant)
        return page_of(rows, query, payloads.withdrawal, whole=whole)


class WithdrawalView(Resource):
    tag = "Withdrawals"

    @operation(
        "getWithdrawal",
        "withdrawals:read",
        gives=payloads.WithdrawalPayload,
        registered_origin=True,
        refuses=[errors.UnregisteredOrigin, errors.WithdrawalUnknown],
    )
    def get(self, merchant: Merchant, withdrawal_id: str) -> payloads.WithdrawalPayload:
        """Get a withdrawal

        The destination is masked; `failure` says why it failed or was returned.
        """
        return payloads.withdrawal(selectors.get(merchant, withdrawal_id))
