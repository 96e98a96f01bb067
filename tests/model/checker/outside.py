"""Two institutions that act or not, answer or not, and keep no promise about sending an order again.

Assumed of them, and nothing else: what they answer is true, and a call has taken effect, or never will, when its lease
ends. An order that is sent twice is two orders.
"""

from collections.abc import Callable, Iterator
from typing import Any

from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult
from gateway.providers.errors import NotSent, Unclear
from tests.support.scripted_provider import SCRIPT, ScriptedCard

R = PaymentResult
NONE, OPEN, REVIEW, HELD, CHARGED, VOID, REFUSED, TWICE = (
    "nothing", "open", "in review", "authorized", "charged", "void", "refused", "ordered twice",
)  # fmt: skip
FIELDS, TURNED, ODD, WRONG = "in the fields", "declined in the fields", "authorized, a debit card", "wrongly charged"
TOLD, BOUNCED, GONE = "declined in the fields, and said so", "refused in the fields", "void, for the issuer's reason"
LIVE = (OPEN, REVIEW, HELD, CHARGED, FIELDS, TURNED, TOLD, BOUNCED, ODD, WRONG)
"""There is a charge, or there may be one yet."""
OVER = (VOID, GONE)
CODE = {"pixCopyPaste": "000201code", "pixTxid": "TX"}
SESSION = {"session": {"integrationMode": "SECURE_FIELDS"}}
WHY = ("PROVIDER_REFUSED", "The provider refused the payment.")

Answer = PaymentOutcome | Exception
Option = tuple[str, str, Answer]
"""What happens, the order afterwards, and what the caller gets."""
LOST, AWAY = Unclear("no answer"), NotSent("connection refused")


def _said(answered: PaymentResult, **more: Any) -> PaymentOutcome:
    if answered in (R.WAITING, R.CLEARED):
        more["details"] = CODE
    if answered == R.SESSION:
        more["details"] = SESSION
    if answered == R.CHALLENGE:
        more["details"] = {"action": {}}
    if answered in (R.DECLINED, R.REFUSED):
        more["failure"] = WHY
    return PaymentOutcome(answered, **more)


def _acts(order: str, answered: PaymentResult, **more: Any) -> list[Option]:
    """It acts, and the answer arrives or is lost."""
    return [(str(answered), order, _said(answered, **more)), (f"{answered}, answer lost", order, LOST)]


_FIRST_ORDER = {"wallet": (OPEN, R.WAITING), "review": (REVIEW, R.REVIEW), "card": (FIELDS, R.SESSION)}
_TOLD_ANYTIME = {
    CHARGED: R.DONE, HELD: R.AUTHORIZED, ODD: R.AUTHORIZED, OPEN: R.WAITING, FIELDS: R.WAITING, TURNED: R.DECLINED,
    TOLD: R.DECLINED, BOUNCED: R.REFUSED, VOID: R.DECLINED, GONE: R.DECLINED, NONE: R.NOT_RECEIVED,
}  # fmt: skip
_TOLD_OF_REVIEW = {CHARGED: R.CLEARED, OPEN: R.CLEARED, REVIEW: R.UNKNOWN, VOID: R.DECLINED, NONE: R.NOT_RECEIVED}


def _instructed(order: str, kind: str) -> list[Option]:
    if order in LIVE:
        return [("ordered again", TWICE, LOST)]
    if order != NONE:
        return [(order, order, _said(R.DECLINED if order in OVER else R.REFUSED))]
    accepted = _acts(*_FIRST_ORDER[kind])
    return [*accepted, *_acts(REFUSED, R.REFUSED), (str(R.DECLINED), VOID, _said(R.DECLINED))]


def _asked(order: str, about: str) -> list[Option]:
    if about == PaymentAction.REVIEW:
        told = _TOLD_OF_REVIEW.get(order, R.DECLINED)
    elif order == REVIEW:
        told = R.REVIEW if about == PaymentAction.PREPARE else R.WAITING
    elif order in (FIELDS, TURNED, TOLD, BOUNCED) and about == PaymentAction.PREPARE:
        told = R.SESSION
    elif order == REFUSED:
        told = R.REFUSED if about == PaymentAction.PREPARE else R.DECLINED
    else:
        told = _TOLD_ANYTIME[order]
    then = TOLD if order == TURNED and told == R.DECLINED else order
    return [(f"says {told}", then, _said(told, **_card_in(order)))]


def _card_in(order: str) -> dict[str, Any]:
    """What is told about the card: no company here takes debit cards."""
    funding = {HELD: "credit", CHARGED: "credit", ODD: "debit"}.get(order)
    return {"details": {"card": {"brand": "visa", "last4": "4242", "funding": funding}}} if funding else {}


def _confirmed(order: str) -> list[Option]:
    """The payer confirms by this call, or has confirmed before."""
    if order != FIELDS:
        return _asked(order, PaymentAction.PAY)
    return [
        *_acts(HELD, R.AUTHORIZED, **_card_in(HELD)), *_acts(ODD, R.AUTHORIZED, **_card_in(ODD)),
        (str(R.DECLINED), TOLD, _said(R.DECLINED)), ("declined, answer lost", TURNED, LOST),
        *_acts(BOUNCED, R.REFUSED), ("nothing is sent", FIELDS, _said(R.NOT_RECEIVED)),
        ("nobody confirmed", FIELDS, _said(R.WAITING)),
        ("asks the holder", FIELDS, _said(R.CHALLENGE)),
    ]  # fmt: skip


def _canceled(order: str) -> list[Option]:
    if order == CHARGED:
        return [("it was paid", order, _said(R.REFUSED))]
    if order == NONE:
        return [("says not received", order, _said(R.NOT_RECEIVED))]
    return _acts(GONE if order in (TOLD, GONE) else VOID, R.DONE)


def _captured(order: str) -> list[Option]:
    if order == HELD:
        return [*_acts(CHARGED, R.DONE), *_acts(VOID, R.DECLINED)]
    if order == ODD:
        return _acts(WRONG, R.DONE)
    return [(order, order, _said(R.DONE if order == CHARGED else R.DECLINED))]


def options(what: str, order: str, kind: str) -> list[Option]:
    """Everything that one call can lead to."""
    if order in (TWICE, WRONG):
        return [("nothing more", order, LOST)]
    name, _, about = what.partition(" ")
    acts = {"instruct": lambda: _instructed(order, kind), "cancel": lambda: _canceled(order)}
    acts |= {"ask": lambda: _asked(order, about), "capture": lambda: _captured(order)}
    acts |= {"confirm": lambda: _confirmed(order)}
    return [("not sent", order, AWAY), ("lost", order, LOST), *acts[name]()]


def by_itself(order: str) -> list[tuple[str, str]]:
    """What payers and the institution do without being asked."""
    return {
        OPEN: [("the payer pays", CHARGED), ("it ends at the provider", VOID)],
        REVIEW: [("the review clears it", OPEN), ("the review declines it", VOID)],
        FIELDS: [("the payer confirms", HELD), ("a debit card is confirmed", ODD), ("the issuer declines", TURNED)],
        TURNED: [("another card is confirmed", HELD)],
        TOLD: [("another card is confirmed", HELD)],
        BOUNCED: [("another card is confirmed", HELD)],
    }.get(order, [])


def messages(order: str, kind: str) -> list[tuple[PaymentAction, PaymentOutcome]]:
    """What an institution that is believed may tell of an order, at any time and again. Only an authorization names the
    card, and may be told after what became of it.
    """
    if kind != "card":
        told = {CHARGED: [(PaymentAction.PAY, R.DONE)], VOID: [(PaymentAction.PAY, R.DECLINED), *_OVER]}
    else:
        confirmed = [(PaymentAction.PAY, R.AUTHORIZED)]
        told = {HELD: confirmed, ODD: confirmed, TURNED: [(PaymentAction.PAY, R.DECLINED)]}
        told |= {CHARGED: [(PaymentAction.CAPTURE, R.DONE), *confirmed], VOID: [*_OVER, *confirmed], GONE: [*_OVER]}
    return [(about, _said(answered, **_card_told(order, answered))) for about, answered in told.get(order, [])]


def _card_told(order: str, answered: R) -> dict[str, Any]:
    return _card_in(order if order == ODD else HELD) if answered == R.AUTHORIZED else {}


_OVER = ((PaymentAction.CANCEL, R.DONE), (PaymentAction.EXPIRE, R.DONE))


class OutsideRail(ScriptedCard):
    """A rail whose every call is answered by `SCRIPT`, with what is asked about."""

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        return SCRIPT.answer(self.user, f"ask {about}", order.payment_id)

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        return SCRIPT.answer(self.user, "capture", order.payment_id)


class Script:
    """Answers the calls of one act by chosen numbers; where none is chosen, the first, and it notes the others."""

    def __init__(self, chosen: list[int], answer: Callable[[str, str], list[Any]]) -> None:
        self.chosen, self.others, self.told, self._answer, self._calls = chosen, [], [], answer, 0

    def __call__(self, user: str, what: str, our_id: str) -> Any:
        found = self._answer(user, what)
        if self._calls == len(self.chosen):
            self.others += [[*self.chosen, other] for other in range(1, len(found))]
            self.chosen = [*self.chosen, 0]
        label, answer, after = found[self.chosen[self._calls]]
        self._calls += 1
        self.told.append((f"{user} {what}: {label}", answer))
        after()
        return given(answer)


def given(answer: Answer) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer


def every_way(act: Callable[[Script], Any], answer: Callable[[str, str], list[Any]]) -> Iterator[tuple[Script, Any]]:
    """Runs `act` once for every sequence of answers."""
    waiting: list[list[int]] = [[]]
    while waiting:
        script = Script(waiting.pop(), answer)
        result = act(script)
        waiting += script.others
        yield script, result
