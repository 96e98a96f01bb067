"""Errors of withdrawals, beneficiaries and approvals."""

from django.utils.translation import gettext_noop as _

from gateway.api.reference.reproductions.calls import Explanation, Explanations, Given, get, of_ours, post
from gateway.simulations.examples import ORDERS, WITHDRAWALS

PIX, SPEI, CRYPTO = (of_ours(WITHDRAWALS[way]) for way in (("PIX", "BRL"), ("SPEI", "MXN"), ("CRYPTO", "USDT")))
BANK = of_ours(WITHDRAWALS["BANK_TRANSFER", "ARS"])
SMALL = PIX | {"amount": 20.00}
FUNDED = (
    post("/payments", ORDERS["PIX", "BRL"] | {"amount": 3000.00}, gives="payment"),
    post("/simulations/payments/{payment}", {"status": "PAID"}),
)
WITHDRAWN = (*FUNDED, post("/withdrawals/pix", SMALL, gives="withdrawal"))
IN_THE_BOOK = {
    "name": "Rent",
    "rail": "PIX",
    "currency": "BRL",
    "destination": {"pixKey": "financeiro@lojaexemplo.com.br", "pixKeyType": "EMAIL"},
}
OTHER_ACCOUNT = {"pixKey": "52998224725", "pixKeyType": "CPF"}
APPROVE = post("/withdrawals/{withdrawal}/approvals", {"decision": "APPROVE"})
COMPLETE = post("/simulations/withdrawals/{withdrawal}", {"status": "COMPLETED"})

OF_MONEY_OUT: Explanations = {
    "ONP400_PIX_KEY": Explanation(
        _("The type does not match the key, or a phone number lacks +55."),
        (post("/withdrawals/pix", PIX | {"pixKeyType": "CPF"}),),
        Given.ADDRESS,
    ),
    "ONP400_CLABE": Explanation(
        _("A digit of the CLABE was mistyped."),
        (post("/withdrawals/spei", SPEI | {"clabe": "032180000118359718"}),),
        Given.ADDRESS,
    ),
    "ONP400_BANK_ACCOUNT": Explanation(
        _("A digit was mistyped, or both CBU and alias are sent."),
        (post("/withdrawals/bank-transfer", BANK | {"cbu": "2850590940090418135202"}),),
        Given.ADDRESS,
    ),
    "ONP400_CRYPTO_ADDRESS": Explanation(
        _("A character is missing, or the address is of a test network."),
        (post("/withdrawals/crypto", CRYPTO | {"address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"}),),
        Given.ADDRESS,
    ),
    "ONP400_CRYPTO_NETWORK": Explanation(
        _("The asset is sent with the network of another one."),
        (post("/withdrawals/crypto", CRYPTO | {"network": "BITCOIN"}),),
        Given.ADDRESS,
    ),
    "ONP403_IP": Explanation(
        _("The backend has a new address, or calls leave it through another one."),
        (post("/withdrawals/pix", PIX),),
        Given.OTHER_ADDRESS,
    ),
    "ONP403_COMPANY": Explanation(
        _("The key of one company is used for another one."),
        (post("/withdrawals/pix", PIX | {"companyId": "cmp_none"}),),
        Given.ADDRESS,
    ),
    "ONP403_WITHDRAWALS_WAIT": Explanation(
        _("Support changed who may withdraw, or from where."),
        words=_("Only in production, for the hours after such a change."),
    ),
    "ONP403_WITHDRAWAL_DISABLED": Explanation(
        _("Withdrawals, or this rail, are not part of the company's agreement."),
        words=_("Only where support has turned withdrawals off."),
    ),
    "ONP403_WITHDRAWAL_NOT_CONNECTED": Explanation(
        _("No bank that is connected pays out over this rail, or such an amount."),
        words=_("Only in production: the sandbox has simulators for every rail."),
    ),
    "ONP404_WITHDRAWAL": Explanation(
        _("The id is of the other environment, or is the reference."), (get("/withdrawals/wd-77"),), Given.ADDRESS
    ),
    "ONP404_PAYOUT_SCHEDULE": Explanation(
        _("The schedule is of the other environment."), (get("/payout-schedules/psc_none"),), Given.ADDRESS
    ),
    "ONP409_WITHDRAWAL_STATE": Explanation(
        _("A withdrawal that has failed cannot end otherwise."),
        (*WITHDRAWN, post("/simulations/withdrawals/{withdrawal}", {"status": "FAILED"}), COMPLETE),
        Given.ADDRESS,
    ),
    "ONP409_RATE_CHANGED": Explanation(
        _("The market moved since minimumAssetAmount was computed."),
        (*FUNDED, post("/withdrawals/crypto", CRYPTO | {"minimumAssetAmount": 1000.0})),
        Given.ADDRESS,
    ),
    "ONP422_INSUFFICIENT_BALANCE": Explanation(
        _("Money that is not released yet, or is held for disputes, cannot be withdrawn."),
        (post("/withdrawals/spei", SPEI),),
        Given.ADDRESS,
    ),
    "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL": Explanation(
        _("The amount is below the minimum of the rail."),
        (post("/withdrawals/pix", PIX | {"amount": 0.01}),),
        Given.ADDRESS,
    ),
    "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE": Explanation(
        _("The amount is above the maximum of the rail; several withdrawals are needed."),
        (post("/withdrawals/pix", PIX | {"amount": 100_000_000.00}),),
        Given.ADDRESS,
    ),
    "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE": Explanation(
        _("The bank or the network is away, or no recent rate is known."),
        (*FUNDED, post("/withdrawals/pix", PIX | {"amount": 905.00})),
        Given.ADDRESS,
    ),
    "ONP404_BENEFICIARY": Explanation(
        _("The beneficiary was removed in the dashboard."), (get("/beneficiaries/bnf_none"),), Given.ADDRESS
    ),
    "ONP409_BENEFICIARY": Explanation(
        _("The account is in the book under another name."),
        (post("/beneficiaries", IN_THE_BOOK), post("/beneficiaries", IN_THE_BOOK)),
        Given.ADDRESS,
    ),
    "ONP422_BENEFICIARY_LIMIT": Explanation(
        _("Accounts of one-time payees are kept in the book."), words=_("Add 5,000 beneficiaries, then one more.")
    ),
    "ONP403_BENEFICIARY_UNKNOWN": Explanation(
        _("The account is not in the book, and the company's rules allow no other."),
        (*FUNDED, post("/withdrawals/pix", SMALL | OTHER_ACCOUNT)),
        Given.BOOK,
    ),
    "ONP403_BENEFICIARY_COOLING_OFF": Explanation(
        _("The beneficiary was added a short time ago."),
        (
            *FUNDED,
            post("/beneficiaries", IN_THE_BOOK | {"destination": {"pixKey": "12345678909", "pixKeyType": "CPF"}}),
            post("/withdrawals/pix", SMALL | {"pixKey": "12345678909", "pixKeyType": "CPF"}),
        ),
        Given.BOOK,
    ),
    "ONP422_WITHDRAWAL_DAY_LIMIT": Explanation(
        _("The withdrawals of the last 24 hours and this one exceed the company's own limit."),
        (*FUNDED, post("/withdrawals/pix", SMALL)),
        Given.LIMITS,
    ),
    "ONP422_WITHDRAWAL_BENEFICIARY_LIMIT": Explanation(
        _("With this withdrawal the beneficiary would receive more in 24 hours than the company's own limit allows."),
        (*FUNDED, post("/withdrawals/pix", SMALL | {"amount": 12.00})),
        Given.LIMITS,
    ),
    "ONP403_OWN_APPROVAL": Explanation(
        _("The same backend requests withdrawals and approves them."), (*WITHDRAWN, APPROVE), Given.APPROVALS
    ),
    "ONP409_WITHDRAWAL_UNAPPROVED": Explanation(
        _("A test completes a withdrawal that still waits for its approval."), (*WITHDRAWN, COMPLETE), Given.APPROVALS
    ),
    "ONP409_APPROVAL_STATE": Explanation(
        _("The withdrawal was rejected, or was approved in the dashboard a moment before."),
        (
            *WITHDRAWN,
            post("/withdrawals/{withdrawal}/approvals", {"decision": "REJECT"}),
            APPROVE,
        ),
        Given.APPROVALS,
    ),
    "ONP403_APPROVER": Explanation(
        _("The key is younger than 48 hours, or the company's rules do not count keys."),
        words=_("Set rules that require an approval, issue a key, and approve with it on the same day."),
    ),
    "ONP409_APPROVAL_GIVEN": Explanation(
        _("A person approves in the dashboard, and then with a key."),
        words=_("Set rules that require two approvals, and approve twice with one key."),
    ),
}
