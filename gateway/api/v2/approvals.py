"""Approvals of withdrawals by keys (contract §11.7)."""

from typing import Annotated, Literal

from pydantic import Field

from accounts.base.client_address import client_address
from accounts.models import Merchant
from accounts.waits.errors import WithdrawalsWait
from gateway.api.inputs.fields import ExactInput, Text
from gateway.api.operations import Resource, operation
from gateway.payments.errors import CompanyNotActive
from gateway.payouts.errors import WithdrawalDisabled
from gateway.withdrawals import errors as withdrawal_errors
from gateway.withdrawals import payloads
from gateway.withdrawals.approvals import errors, services
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.approvals.models import Decision


class ApprovalInput(ExactInput):
    """A decision about a withdrawal that waits."""

    decision: Literal["APPROVE", "REJECT"]
    note: Annotated[Text, Field(max_length=255)] | None = None


class ApprovalsView(Resource):
    tag = "Withdrawals"

    @operation(
        "decideWithdrawal",
        "withdrawals:approve",
        takes=ApprovalInput,
        gives=payloads.WithdrawalPayload,
        status=201,
        success="Decision recorded.",
        registered_origin=True,
        refuses=[
            withdrawal_errors.UnregisteredOrigin,
            withdrawal_errors.WithdrawalUnknown,
            CompanyNotActive,
            WithdrawalDisabled,
            WithdrawalsWait,
            errors.ApprovalState,
            errors.NoApprover,
            errors.OwnApproval,
            errors.ApprovalGiven,
            errors.Unapproved,
        ],
    )
    def post(self, merchant: Merchant, wanted: ApprovalInput, withdrawal_id: str) -> payloads.WithdrawalPayload:
        """Approve or reject a withdrawal

        With another key than the one that asked, issued by another person. The last approval that the company's
        rules require submits the withdrawal; a rejection makes it FAILED, and its money is available again. Only from
        the registered IP address.
        """
        return payloads.withdrawal(
            services.decide(
                merchant,
                withdrawal_id,
                Decision(wanted.decision),
                Requester.of_key(self.request.auth),  # type: ignore[arg-type]
                origin=client_address(self.request._request),
                note=wanted.note or "",
            )
        )
