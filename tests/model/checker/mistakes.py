"""Mistakes that somebody could make in the rules, each in the words of the production code."""

from tests.model.checker.code import Wrong

QUESTIONS, PROVIDER, DUE = "gateway.payments.questions", "gateway.payments.provider", "gateway.payments.due"
CALLS, AUTHORIZATIONS = "gateway.payments.calls", "gateway.payments.authorizations"
ANSWERS, BELIEVED, FAILOVER = "gateway.payments.answers", "gateway.payments.believed", "gateway.payments.failover"
LIFECYCLE = "gateway.payments.lifecycle"
_FAIL = 'PaymentOutcome(PaymentResult.DECLINED, failure=("X", "Refused."))'
_MAY = "while a charge exists or may still be made"

OF_PAYMENTS = (
    Wrong(
        "a message that an offer is closed is money of a card",
        BELIEVED,
        (("    if answer.about == PaymentAction.EXPIRE:  # as if we had canceled it", "    if False:"),),
        "PAID that was not charged",
        "card",
    ),
    Wrong(
        "a message that a card was refused fails it while another one may be confirmed",
        ANSWERS,
        (
            (
                "    if is_of_a_card(payment, answer):\n        return _card_taken(payment, answer, at)\n",
                "    if outcome.answered == PaymentResult.DECLINED:\n"
                "        return finish(payment, about, outcome, at)\n"
                "    if is_of_a_card(payment, answer):\n        return _card_taken(payment, answer, at)\n",
            ),
        ),
        f"FAILED {_MAY}",
        "card",
    ),
    Wrong(
        "no answer is a decline",
        CALLS,
        (
            (
                "return Answer(self.about, PaymentOutcome(PaymentResult.UNKNOWN))",
                'return Answer(self.about, PaymentOutcome(PaymentResult.DECLINED, failure=("X", "No answer.")))',
            ),
        ),
        f"FAILED {_MAY}",
    ),
    Wrong(
        "an unclear outcome has failed once its deadline is over",
        PROVIDER,
        (
            (
                "    if is_overdue(payment, at):\n",
                f"    if is_overdue(payment, at):\n        return finish(payment, PaymentAction.PAY, {_FAIL}, at)\n",
            ),
        ),
        f"FAILED {_MAY}",
        deep=True,
    ),
    Wrong(
        "it expires without being withdrawn at the provider",
        DUE,
        (('condition="(w.account_id IS NULL OR w.ask_at IS NULL)",', ""),),
        f"EXPIRED {_MAY}",
    ),
    Wrong(
        "an unclear withdrawal of the charge lets it expire",
        ANSWERS,
        (
            (
                "about == PaymentAction.CANCEL and outcome.answered in (PaymentResult.DONE,",
                "about == PaymentAction.CANCEL and outcome.answered in (PaymentResult.UNKNOWN, PaymentResult.DONE,",
            ),
        ),
        f"EXPIRED {_MAY}",
    ),
    Wrong(
        "a time-out turns to the next provider",
        ANSWERS,
        (("NOTHING_HAPPENED = (", "NOTHING_HAPPENED = (PaymentResult.UNKNOWN, "),),
        "second provider",
    ),
    Wrong(
        "an order is sent again without a query",
        CALLS,
        (("        if self.order.asked_times > 1:\n", "        if False:\n"),),
        "ordered twice",
    ),
    Wrong(
        "the sweep ignores leases",
        DUE,
        (('    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",\n', ""),),
        "two calls at once",
    ),
    Wrong(
        "a repeated request ignores leases",
        QUESTIONS,
        (("        if is_leased(payment) or (payment", "        if (payment"),),
        "two calls at once",
    ),
    Wrong(
        "a repeated request is offered again while it is withdrawn",
        QUESTIONS,
        ((" or (payment.account_id and is_over(payment, at)):", ":"),),
        "offered again where it was voided",
        deep=True,
    ),
    Wrong(
        "a late process goes on under the lease of another",
        QUESTIONS,
        (("        return payment, None\n", "        return payment, prepare(payment, at)\n"),),
        "two calls at once",
    ),
    Wrong(
        "payable is taken for paid",
        LIFECYCLE,
        (
            (
                "when(Action.PREPARE, Result.WAITING,    (P,),    P,        None,",
                "when(Action.PREPARE, Result.WAITING,    (P,),    PAID,     paid,",
            ),
        ),
        "PAID that was not charged",
    ),
    Wrong(
        "a review at the provider is not followed",
        PROVIDER,
        ((" PaymentResult.REVIEW, PaymentResult.CLEARED,", ""),),
        f"EXPIRED {_MAY}",
        kind="review",
    ),
    Wrong(
        "a card that cannot be priced fails before it is voided",
        AUTHORIZATIONS,
        (
            (
                "finish(payment, PaymentAction.AUTHORIZE, refused, at)",
                "finish(payment, PaymentAction.PAY, replace(refused, answered=PaymentResult.DECLINED), at)",
            ),
        ),
        f"FAILED {_MAY}",
        kind="card",
    ),
    Wrong(
        "a debit card is captured at the price of a credit card",
        AUTHORIZATIONS,
        (("    if failure:\n        return _withdraw", "    if failure is True:\n        return _withdraw"),),
        "charged at the price of another card",
        kind="card",
        deep=True,
    ),
    Wrong(
        "a challenge in the fields is not followed to its end",
        PROVIDER,
        (("    PaymentResult.SESSION, PaymentResult.CHALLENGE,\n", "    PaymentResult.SESSION,\n"),),
        f"EXPIRED {_MAY}",
        kind="card",
        deep=True,
    ),
    Wrong(
        "a card that the issuer declined is tried elsewhere",
        AUTHORIZATIONS,
        (("mark = {failover.MAY_MOVE: True} if outcome.answered == PaymentResult.REFUSED else {}",
          "mark = {failover.MAY_MOVE: True}"),),
        "offered elsewhere after the issuer's decline",
        kind="session",
    ),
    Wrong(
        "a session moves before it is voided",
        AUTHORIZATIONS,
        (("    save(payment)\n    return payment\n\n\ndef voided",
          "    save(payment)\n    return failover.move(payment, at) or payment\n\n\ndef voided"),),
        "while the first may charge",
        kind="session",
    ),
    Wrong(
        "a session moves although it is unclear whether it was voided",
        ANSWERS,
        (("        return failover.turn_elsewhere(payment, outcome, at)\n",
          "        return failover.turn_elsewhere(payment, outcome, at)\n"
          "    if about == PaymentAction.CANCEL and outcome.answered == PaymentResult.UNKNOWN:\n"
          "        return failover.move(payment, at) or unclear(payment, at)\n"),),
        "while the first may charge",
        kind="session",
    ),
    Wrong(
        "a session moves twice",
        FAILOVER,
        (("    if former_account(payment) or payment.expires_at", "    if payment.expires_at"),),
        "offered again where it was voided",
        kind="moved",
    ),
    Wrong(
        "a late answer of the former acquirer counts at the next one",
        QUESTIONS,
        (("    if payment.account_id != question.account_id:\n", "    if False:\n"),),
        "charged at the price of another card",
        kind="late",
    ),
    Wrong(
        "a message of the former acquirer counts at the next one",
        BELIEVED,
        (("    if payment.account_id != account_id:\n", "    if False:\n"),),
        f"EXPIRED {_MAY}",
        kind="moved",
    ),
)  # fmt: skip

_REFUND, _RETURNING, _WITHDRAWAL = "gateway.refunds", "gateway.providers.returning", "gateway.withdrawals"
_PAID_OUT = "while it was paid out or may be yet"

OF_REFUNDS = (
    Wrong(
        "a refund is sent again without a query",
        _RETURNING,
        (("    is_new = is_unsent and not is_lost(our_id)\n", "    is_new = True\n"),),
        "sent twice",
    ),
    Wrong(
        "a refund without an answer has failed",
        _RETURNING,
        (("NOT_RETURNED = (", "NOT_RETURNED = (PaymentResult.UNKNOWN, "),),
        f"FAILED {_PAID_OUT}",
    ),
    Wrong(
        "a failed refund keeps its money blocked",
        f"{_REFUND}.lifecycle",
        (
            (
                'Status.FAILED,    "refund.returned",  back,  ("refund.failed",)',
                'Status.FAILED,    None,               None,  ("refund.failed",)',
            ),
        ),
        "the books are wrong",
    ),
    Wrong(
        "a failed refund forgets the receivable that it took from",
        f"{_REFUND}.provider",
        (("receivables.return_all(refund.id, refund.payment_id, taken, now)", "taken"),),
        "the books are wrong: what waits",
    ),
)

OF_WITHDRAWALS = (
    Wrong(
        "a withdrawal is sent again without a query",
        f"{_WITHDRAWAL}.provider",
        (("    is_new = is_unsent and not _was_sent_before_restore(withdrawal)\n", "    is_new = True\n"),),
        "sent twice",
    ),
    Wrong(
        "a withdrawal without an answer has failed",
        f"{_WITHDRAWAL}.provider",
        (
            ("_NO_END = (PayoutResult.SENT, PayoutResult.UNKNOWN,", "_NO_END = (PayoutResult.SENT,"),
            ("    PayoutResult.DONE: WithdrawalAction.DONE,\n", "    PayoutResult.DONE: WithdrawalAction.DONE,\n"
             "    PayoutResult.UNKNOWN: WithdrawalAction.DECLINED,\n"),
        ),
        f"FAILED {_PAID_OUT}",
    ),
    Wrong(
        "a withdrawal that was taken on has arrived",
        f"{_WITHDRAWAL}.provider",
        (
            ("_NO_END = (PayoutResult.SENT, ", "_NO_END = ("),
            ("    PayoutResult.DONE: WithdrawalAction.DONE,\n", "    PayoutResult.DONE: WithdrawalAction.DONE,\n"
             "    PayoutResult.SENT: WithdrawalAction.DONE,\n"),
        ),
        "COMPLETED that was not paid out",
    ),
    Wrong(
        "staff give back what is just being sent",
        f"{_WITHDRAWAL}.services",
        (("    if is_leased(withdrawal):\n", "    if False:\n"),),
        f"FAILED {_PAID_OUT}",
    ),
)  # fmt: skip
