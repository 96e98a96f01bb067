"""Texts about withdrawals: destinations, checks, and failures."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.payouts.rail import FailureCode
from gateway.withdrawals.models import ApprovalState

Said = str | Promise

DESTINATION: dict[str, Said] = {
    "pixKey": _("PIX key"),
    "clabe": "CLABE",
    "cbu": "CBU",
    "cvu": "CVU",
    "alias": _("Alias"),
    "bankName": _("Bank"),
    "bankCode": _("Bank code"),
    "branch": _("Branch"),
    "accountType": _("Kind of account"),
    "accountNumber": _("Account number"),
    "address": _("Address"),
    "beneficiaryName": _("Beneficiary"),
    "beneficiaryTaxId": _("Tax id"),
    "documentType": _("Kind of document"),
    "documentNumber": _("Document number"),
    "concept": _("Concept"),
    "numericReference": _("Numeric reference"),
}
"""In display order."""

KEY_TYPE: dict[str, Said] = {
    "CPF": "CPF",
    "CNPJ": "CNPJ",
    "EMAIL": _("E-mail address"),
    "PHONE": _("Phone number"),
    "EVP": _("Random key"),
}
ACCOUNT_TYPE: dict[str, Said] = {
    "SAVINGS": _("Savings account"),
    "CHECKING": _("Checking account"),
    "ELECTRONIC_DEPOSIT": _("Electronic deposit"),
    "PAYMENT": _("Payment account"),
}
DOCUMENT_TYPE: dict[str, Said] = {
    "CC": _("Citizenship card (CC)"),
    "CE": _("Foreigner's card (CE)"),
    "NIT": _("Tax number (NIT)"),
    "TI": _("Identity card (TI)"),
    "PPT": _("Protection permit (PPT)"),
    "PASSPORT": _("Passport"),
}

PROOF: dict[str, Said] = {
    "endToEndId": _("End-to-end id"),
    "trackingKey": _("Tracking key"),
    "transactionHash": _("Transaction hash"),
}
"""Labels of the provider's id of the money."""
ID_AT_THE_BANK = _("Id at the bank")

GATE: dict[str, Said] = {
    "PERMISSION": _("Your role can move money"),
    "COMPANY_ACTIVE": _("The company is active"),
    "WITHDRAWAL_ENABLED": _("Withdrawals are enabled"),
    "NO_WAIT": _("Withdrawals are not delayed after a change by support"),
    "BODY": _("All fields are filled in correctly"),
    "RAIL": _("The rail is enabled and available"),
    "RATE": _("A market rate is available"),
    "LIMITS": _("The amount is within the limits"),
    "BENEFICIARY": _("The beneficiary can be used under your own rules"),
    "OWN_LIMITS": _("The amount is within your own limits"),
    "REFERENCE": _("The reference has not been used"),
    "BALANCE": _("The balance is sufficient"),
}
"""Checks of the preflight that a person can act on."""

FAULT: dict[str, Said] = {
    "pix_key": _("This is not a valid PIX key of that type. Check the digits and the type."),
    "clabe": _(
        "A CLABE has 18 digits, and the last one is a check digit that does not match: one of the digits is wrong."
    ),
    "account": _(
        "A CBU or CVU has 22 digits including check digits; an alias has 6 to 20 letters, digits, periods or hyphens."
    ),
    "bank_code": _("This bank is not in our list."),
    "account_number": _("An account number has 6 to 20 digits."),
    "document_number": _("The number is not valid for this type of document."),
    "beneficiary_tax_id": _("This tax id is not valid in the beneficiary's country."),
    "address": _("This is not an address on that network that can be paid. Copy it again."),
}
BRAZILIAN_FAULT: dict[str, Said] = {
    "bank_code": _("A bank code has 3 digits (COMPE) or 8 (ISPB)."),
    "branch": _("A branch has up to 4 digits, and its check digit after a hyphen if it has one."),
    "account_number": _("Enter the account number with its check digit: up to 13 digits."),
    "beneficiary_tax_id": _("This is not a CPF or CNPJ."),
}

APPROVAL: dict[str, Said] = {
    ApprovalState.PENDING: _("Waits for approval"),
    ApprovalState.APPROVED: _("Approved"),
    ApprovalState.REJECTED: _("Rejected"),
    ApprovalState.EXPIRED: _("Nobody approved it in time"),
    ApprovalState.CANCELED: _("Failed before it was approved"),
}

FAILURE: dict[str, tuple[Promise, Promise]] = {
    FailureCode.INVALID_DESTINATION: (
        _("The account does not exist."),
        _("Check the account with the beneficiary, then make a new withdrawal."),
    ),
    FailureCode.BENEFICIARY_MISMATCH: (
        _("The account belongs to someone else."),
        _("Compare name and document with the account, then make a new withdrawal."),
    ),
    FailureCode.BANK_REJECTED: (
        _("The beneficiary's bank rejected the money."),
        _("Only the beneficiary's bank knows why. Try another account of theirs."),
    ),
    FailureCode.COMPLIANCE_REJECTED: (
        _("The withdrawal was rejected by compliance."),
        _("Ask support: the same withdrawal would be rejected again."),
    ),
    FailureCode.NETWORK_ERROR: (
        _("The network did not accept the transaction."),
        _("No action is possible. Make a new withdrawal."),
    ),
    FailureCode.RETURNED_BY_BANK: (
        _("The beneficiary's bank returned the money."),
        _("The amount is available again, the fee is not. Ask the beneficiary for another account."),
    ),
    FailureCode.APPROVAL_REJECTED: (
        _("An approver of your company rejected the withdrawal."),
        _("Amount and fee are available again. Ask the approver why."),
    ),
    FailureCode.APPROVAL_EXPIRED: (
        _("The withdrawal was not approved in time."),
        _("Amount and fee are available again. Make a new withdrawal if it is still wanted."),
    ),
}

SCENARIO: tuple[tuple[int, Promise], ...] = (
    (901, _("fails: the account does not exist")),
    (902, _("fails: the bank rejects it")),
    (903, _("arrives, and is returned after ten seconds (not crypto)")),
    (904, _("waits until you choose its outcome")),
    (905, _("the rail is unavailable at the first attempt")),
    (906, _("is lost on its way and sent again")),
)
"""Whole amounts that end in these digits run a scenario in the sandbox."""
