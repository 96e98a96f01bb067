"""What withdrawals refuse."""

from accounts.base.errors import Refusal


class UnregisteredOrigin(Refusal):
    code = "ONP403_IP"
    message = "Withdrawals are accepted from the registered IP address only, and this is another one."
    advice = "Register the public address of your backend; a preflight (dryRun=true) tells which one we see."


class OtherCompany(Refusal):
    code = "ONP403_COMPANY"
    message = "The company in the body is not the one of the API key."
    advice = "Send the companyId that GET /companies/{companyId} answers for this key."


class WithdrawalUnknown(Refusal):
    code = "ONP404_WITHDRAWAL"
    message = "There is no such withdrawal."
    advice = "Compare the id, and the environment of the key."


class WithdrawalState(Refusal):
    code = "ONP409_WITHDRAWAL_STATE"
    message = "The withdrawal is not in a state that allows this."
    advice = "Look the withdrawal up: its status says what can still happen to it."


class RateChanged(Refusal):
    code = "ONP409_RATE_CHANGED"
    message = "The beneficiary would receive less than minimumAssetAmount."
    advice = "Lower minimumAssetAmount or wait for a better rate, with a new idempotency key."
