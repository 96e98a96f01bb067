"""The book of beneficiaries (contract §11.8)."""

from typing import Annotated

from pydantic import Field

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.beneficiaries import BeneficiaryInput
from gateway.api.inputs.fields import Text
from gateway.api.operations import Resource, operation
from gateway.api.pagination import Paged, ResultPage, page_of
from gateway.payments.errors import CompanyNotActive
from gateway.withdrawals import errors as withdrawal_errors
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.beneficiaries import errors, payloads, selectors, services
from gateway.withdrawals.payloads import RailLiteral


class BeneficiaryFilters(Paged):
    """Which beneficiaries: `name` whole."""

    otherwise = InvalidFilter

    rail: RailLiteral | None = None
    name: Annotated[Text, Field(min_length=1, max_length=120)] | None = None


class BeneficiariesView(Resource):
    tag = "Beneficiaries"

    @operation(
        "listBeneficiaries",
        "withdrawals:read",
        query=BeneficiaryFilters,
        gives=payloads.BeneficiaryPayload,
        registered_origin=True,
        refuses=[withdrawal_errors.UnregisteredOrigin, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: BeneficiaryFilters) -> ResultPage:
        """List beneficiaries

        The accounts in the book, newest first. Only from the registered IP address.
        """
        limits = {name: value for name in ("rail", "name") if (value := getattr(query, name)) is not None}
        return page_of(selectors.listed(merchant).filter(**limits), query, payloads.beneficiary)

    @operation(
        "addBeneficiary",
        "withdrawals:write",
        takes=BeneficiaryInput,
        gives=payloads.BeneficiaryPayload,
        status=201,
        success="Beneficiary added.",
        registered_origin=True,
        refuses=[
            withdrawal_errors.UnregisteredOrigin,
            CompanyNotActive,
            errors.BeneficiaryExists,
            errors.TooManyBeneficiaries,
        ],
    )
    def post(self, merchant: Merchant, wanted: BeneficiaryInput) -> payloads.BeneficiaryPayload:
        """Add a beneficiary

        It can be used after the cooling-off time that the company's rules set; owners are notified by e-mail. An
        account is never changed: remove the beneficiary and add another. Only from the registered IP address.
        """
        requester = Requester.of_key(self.request.auth)  # type: ignore[arg-type]
        return payloads.beneficiary(services.add(merchant, wanted.draft(merchant, requester)))


class BeneficiaryView(Resource):
    tag = "Beneficiaries"

    @operation(
        "getBeneficiary",
        "withdrawals:read",
        gives=payloads.BeneficiaryPayload,
        registered_origin=True,
        refuses=[withdrawal_errors.UnregisteredOrigin, errors.BeneficiaryNotFound],
    )
    def get(self, merchant: Merchant, beneficiary_id: str) -> payloads.BeneficiaryPayload:
        """Get a beneficiary

        The destination is masked. One that was removed is not found.
        """
        return payloads.beneficiary(selectors.get(merchant, beneficiary_id))

    @operation(
        "removeBeneficiary",
        "withdrawals:write",
        gives=payloads.BeneficiaryPayload,
        success="Beneficiary removed.",
        registered_origin=True,
        refuses=[withdrawal_errors.UnregisteredOrigin, errors.BeneficiaryNotFound],
    )
    def delete(self, merchant: Merchant, beneficiary_id: str) -> payloads.BeneficiaryPayload:
        """Remove a beneficiary

        Withdrawals that were accepted before go on. Owners are notified by e-mail.
        """
        return payloads.beneficiary(services.remove(merchant, beneficiary_id))
