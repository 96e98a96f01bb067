"""A payment, its two institutions, and processes that ask them: every step is taken by the production code."""

from collections.abc import Callable
from copy import copy
from typing import Any

from accounts.base import clock
from accounts.base.errors import Refusal
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from tests.model.checker import beginnings, claims, outside
from tests.model.checker.machine import Asking, State, World
from tests.model.checker.outside import CHARGED, FIELDS, HELD, LIVE, NONE, TWICE, WRONG, Script, every_way, given
from tests.model.checker.search import PEOPLE
from tests.model.checker.stage import DUE, HOUR, LATER, NEXT, OVER, RUNNING, USERS, Row, Stage, answering

API, SWEEP, BROWSER = "api", "sweep", "browser"
_FOLLOWING = {"capture": PaymentAction.CAPTURE, "cancel": PaymentAction.CANCEL}
Orders = tuple[str, str]
"""What each institution has of the payment."""


class Payments(World):
    """The steps of a payment with at most `processes` at once. States: row, orders, what went wrong, processes.

    `kind`: how it is paid, or how far a card session has come (see `beginnings`).
    """

    def __init__(self, stage: Stage, *, kind: str = "wallet", processes: int = 3) -> None:
        super().__init__(processes)
        self.stage, self.begun = stage, kind if kind in beginnings.BEGUN else ""
        self.kind = "card" if self.begun else kind
        self.unnoted = [copy(account) for account in stage.accounts]
        for account in self.unnoted:
            account.take_out(clock.utcnow())  # whether calls are served is not searched
        self.heard: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    @property
    def first(self) -> State:
        """Just stored, and its process about to call the first institution, unless more has happened."""
        if self.begun:
            return self._first_of_session()
        with self.stage.laid(self.stage.stored):
            row = self.rows(self.stage.row())
        caller = Asking(API, str(PaymentAction.PREPARE))
        return (row, self.outs((NONE, NONE)), 0, self.processes.numbers(caller))

    def _first_of_session(self) -> State:
        began = beginnings.of_session(self.begun)
        if began.said:
            self.heard[began.process.about, began.process.again, began.process.heard] = (began.said,)
        return (self.rows(began.row), self.outs(began.orders), 0, self.processes.numbers(began.process))

    def _is_over(self, row: int, orders: int) -> bool:
        return not {TWICE, WRONG}.isdisjoint(self.outs.values[orders])

    def _is_final(self, row: int) -> bool:
        return bool(self.rows.values[row].is_final)

    def _truth(self, orders: int) -> int:
        """What staff can know for certain: it was charged, or it never will be (0); else -1."""
        now = self.outs.values[orders]
        return 1 if CHARGED in now else -any(order in LIVE for order in now)

    # ── what institutions and time do ─────────────────────────────────────────────────────────────────────────────
    def _outsides(self, orders: int) -> list[tuple[str, int]]:
        now = self.outs.values[orders]
        return [
            (f"{USERS[number]}: {what}", self.outs(_changed(now, number, then)))
            for number, order in enumerate(now)
            for what, then in outside.by_itself(order)
        ]

    def _hints(self, number: int) -> int:
        row = self.rows.values[number]
        return self.rows(row._replace(ask=DUE)) if row.ask == LATER else -1

    def _times(self, number: int) -> list[tuple[str, int, bool]]:
        row, found = self.rows.values[number], []
        if row.is_final:
            return []
        if row.ask == LATER:
            found.append(("the next query is due", row._replace(ask=DUE), False))
        if row.lease == RUNNING:  # not while a call of its holder is on its way
            found.append(("the lease ends", row._replace(lease=OVER), True))
        if row.unclear in NEXT:
            found.append(
                (
                    f"the deadline of the resolution is {NEXT[row.unclear]}",
                    row._replace(unclear=NEXT[row.unclear]),
                    False,
                )
            )
        if not row.over:
            found.append(("the payer's time ends", row._replace(over=True), False))
        return [(what, self.rows(then), waits) for what, then, waits in found]

    def _breaks(self, row: int, orders: int) -> str | None:
        return claims.broken(self.rows.values[row].status, self.outs.values[orders])

    def _acts(self, one: int, orders: int) -> bool:
        """Whether a call that is about to be made may lead to a charge."""
        asking, order = self.processes[one], self.outs.values[orders][self.processes[one].account]
        if asking.heard:
            return False
        acts = ((PaymentAction.PREPARE, NONE), (PaymentAction.AUTHORIZE, FIELDS), (PaymentAction.CAPTURE, HELD))
        return (asking.about, order) in acts

    # ── what the production code does ─────────────────────────────────────────────────────────────────────────────
    def _begins(self, number: int) -> list[tuple[str, int, tuple[int, ...]]]:
        """What sweeps and repeated requests begin."""
        row, found = self.rows.values[number], []
        if row.is_final:
            return []
        ways = ((SWEEP, self._swept), (SWEEP, self._expired), (API, self._resumed))
        if self.kind == "card":
            ways += ((BROWSER, self._confirmed), (BROWSER, self._without_fields))
        for who, begin in ways:
            with self.stage.laid(self.stage.payment(row)) as now:
                asking = begin(now)
                if asking is None:
                    continue
                following = tuple(self.processes.numbers(one) for one in asking)
                what = f"{who}: is about to {asking[0].about}" if asking else f"{who}: does it at once"
                found.append((what, self.rows(self.stage.row()), following))
        return found

    def _swept(self, now: Any) -> list[Asking] | None:
        """It finds the payment due, and writes down the call."""
        payments, due = self.stage.code("gateway.payments.provider"), self.stage.code("gateway.payments.due")
        if not due.QUESTION.first(self.stage.merchant, now):
            return None
        later = due.QUESTION.run(payments.lock(self.stage.merchant, self.stage.stored.pk), now)
        if later is None:
            return []
        question = later.args[-1]
        account = self.stage.row().account
        return [Asking(SWEEP, str(question.about), account=account, again=question.order.asked_times > 1)]

    def _expired(self, now: Any) -> list[Asking] | None:
        payments, due = self.stage.code("gateway.payments.provider"), self.stage.code("gateway.payments.due")
        if not due.EXPIRY.first(self.stage.merchant, now):
            return None
        due.EXPIRY.run(payments.lock(self.stage.merchant, self.stage.stored.pk), now)
        return []

    def _resumed(self, now: Any) -> list[Asking] | None:
        """The merchant repeats the request."""
        try:
            payment = self.stage.code("gateway.payments.questions").resume(self.stage.merchant, self.stage.stored.pk)
        except Refusal:
            return None
        if not payment.is_unanswered:
            return None
        again = payment.asked_times > 1
        return [Asking(API, str(PaymentAction.PREPARE), account=self.stage.row().account, again=again)]

    def _confirmed(self, now: Any) -> list[Asking] | None:
        """The payer's browser says that it has confirmed."""
        return self._from_browser(lambda cards, payment: cards._begin(payment, None))

    def _without_fields(self, now: Any) -> list[Asking] | None:
        """The payer's browser says that it could not mount the fields."""
        return self._from_browser(lambda cards, payment: cards._close_fields(payment))

    def _from_browser(self, said: Callable[[Any, Any], Any]) -> list[Asking] | None:
        cards, payment = self.stage.code("gateway.payments.cards"), self.stage.payment(self.stage.row())
        try:
            question = said(cards, payment)
        except Refusal:
            return None
        if isinstance(question, Payment):
            return None
        return [Asking(BROWSER, str(question.about), account=self.stage.row().account)]

    def _decides(self, row: int, is_charged: int) -> list[tuple[str, int]]:
        """Staff say what is true at the institutions."""
        if self._is_final(row):
            return []
        result = PaymentResult.DONE if is_charged else PaymentResult.DECLINED
        outcome = PaymentOutcome(result, failure=None if is_charged else outside.WHY)
        services = self.stage.code("gateway.payments.services")
        with self.stage.laid(self.stage.payment(self.rows.values[row])):
            try:
                services.conclude(self.stage.merchant, self.stage.stored.pk, outcome)
            except Refusal:
                return []
            return [(f"{PEOPLE} it was {result}", self.rows(self.stage.row()))]

    def _tells(self, row: int, orders: int) -> list[tuple[str, int]]:
        now, found = self.rows.values[row], []
        believed, calls = self.stage.code("gateway.payments.believed"), self.stage.code("gateway.payments.calls")
        tellers = (now.account, 1 - now.account) if now.moved else (now.account,)
        for teller in tellers:
            account = self.stage.accounts[teller].pk
            for about, told in outside.messages(self.outs.values[orders][teller], self.kind):
                with self.stage.laid(self.stage.payment(now)):
                    believed.believe(self.stage.merchant, self.stage.stored.pk, account, calls.Answer(about, told))
                    then = self.rows(self.stage.row())
                if then != row:
                    found.append((f"{USERS[teller]} tells: {about} {told.answered}", then))
        return found

    def _calls(self, number: int, orders: int) -> list[tuple[str, int, int, int]]:
        """Every way in which a call can end: what was said, the process with its answer, orders, what went wrong."""
        one, before = self.processes[number], self.outs.values[orders]
        question, now = self._question(one, self._remembered(one, Row("PENDING"))), list(before)

        def answer(user: str, what: str) -> list[Any]:
            place = USERS.index(user)
            found = outside.options(what, now[place], self.kind)
            return [(label, told, lambda then=then: now.__setitem__(place, then)) for label, then, told in found]

        def act(script: Script) -> Any:
            now[:] = before
            with answering(script):
                return question.put()

        found: dict[tuple[int, int, int], str] = {}
        for script, said in every_way(act, answer):
            heard = f"{said.outcome.answered} to {said.about}{beginnings.details(said.outcome)}"
            self.heard.setdefault((one.about, one.again, heard), tuple(told for _, told in script.told))
            wrong = claims.wrong_call(one, before, now)
            after = self.processes.numbers(one._replace(heard=heard)), self.outs((now[0], now[1])), self.wrongs(wrong)
            found.setdefault(after, f"{one.who}: calls {'; '.join(label for label, _ in script.told)}")
        return [(what, *after) for after, what in found.items()]

    def _takes(self, number: int, process: int) -> tuple[str, int, tuple[int, ...], int, bool, bool]:
        """The answer applied: the row, the calls that the process goes on to, what broke, whose lease it is now."""
        row, one = self.rows.values[number], self.processes[process]
        laid, what = self.stage.payment(row), f"{one.who}: takes {one.heard}"
        remembered = self._remembered(one, row)
        if one.is_own:
            remembered.leased_until = laid.leased_until
        if not one.is_hinted:
            remembered.ask_at = laid.ask_at
        told = iter(self.heard[one.about, one.again, one.heard])

        def answer(user: str, what: str, *_: Any) -> Any:
            said = next(told, None)
            if said is None:
                raise GoesOn(user, what)
            return given(said)

        with self.stage.laid(laid), answering(answer):
            try:
                following = self._applied(one, remembered)
            except AssertionError as failed:
                return what, number, (), self.wrongs(f"production asserts: {failed}"), False, False
            after = self.stage.row()
        ends_lease = one.is_own or after.lease != row.lease
        then = tuple(self.processes.numbers(one) for one in following)
        return what, self.rows(after), then, 0, ends_lease, after.ask != row.ask

    def _applied(self, one: Asking, remembered: Any) -> list[Asking]:
        questions, merchant = self.stage.code("gateway.payments.questions"), self.stage.merchant
        try:
            if one.who != API:
                questions.ask_and_take(merchant, self._question(one, remembered))
            else:
                questions.answer(merchant, questions.ask(remembered))
        except GoesOn as following:
            row, (user, what) = self.stage.row(), following.args
            about, account = _FOLLOWING.get(what, PaymentAction.PREPARE), USERS.index(user)
            again = about == PaymentAction.PREPARE and row.asked > 1
            is_own = account == row.account
            return [Asking(one.who, str(about), account=account, again=again, is_own=is_own, is_hinted=not is_own)]
        except Refusal:
            pass
        return []

    def _question(self, one: Asking, payment: Any) -> Any:
        order = self.stage.code("gateway.payments.provider").order_of(payment)
        about, rail = PaymentAction(one.about), self.stage.rails[one.account]
        code = self.stage.code("gateway.payments.calls")
        times = payment.leased_until, payment.ask_at
        closes = one.who == BROWSER and about == PaymentAction.PAY
        asked = payment.pk, payment.merchant_id, self.unnoted[one.account]
        return code.Question(*asked, about, order, rail, *times, closes=closes)

    def _remembered(self, one: Asking, row: Row) -> Any:
        """The payment as the process knows it: by default with times that nobody else has set."""
        moved = row.moved and one.account == row.account
        payment = self.stage.payment(row._replace(account=one.account, moved=moved, asked=2 if one.again else 1))
        payment.status, payment.answered = ("PENDING", False) if one.who == API else (row.status, row.answered)
        payment.leased_until, payment.ask_at = clock.utcnow() + 3 * HOUR, clock.utcnow() + 7 * HOUR
        return payment


class GoesOn(BaseException):
    """The process is about to make another call: to whom, and which."""


def _changed(orders: Orders, number: int, then: str) -> Orders:
    return (then, orders[1]) if number == 0 else (orders[0], then)
