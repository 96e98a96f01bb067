"""What a thief holds, one API key that may do everything and an administrator's session, and what honest people do.

The rules: above 100 reais, or outside the book of beneficiaries, one other person approves; no more than 300 reais in a
day go to one beneficiary. In production amounts up to 100 reais are paid by a provider that is called, others by file.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.urls import reverse

from accounts.base.errors import Refusal
from accounts.base.sealing import unseal
from accounts.models import Environment, Merchant, Proposal
from accounts.permissions import ALL
from accounts.proposals.services import confirm, put
from accounts.roles import Role
from accounts.services import issue_key
from gateway.payout_batches.errors import NothingToGather
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.providers.models import ProviderAccount
from gateway.providers.routes import Place
from gateway.withdrawals import due, services
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.proposals import WithdrawalOutcome, values_of
from tests.support.api import Api, another_address
from tests.support.approvals import an_approver, approve, request_of, set_rules
from tests.support.batches import bank_account, gathered, handed_over, release
from tests.support.companies import Shop
from tests.support.manual_provider import BRAZIL
from tests.support.paying_out import with_real_money
from tests.support.people import a_member, browser_of
from tests.support.providers import active, confirms, enters, paid_out_by
from tests.support.scripted_provider import SCRIPT, rewritten
from tests.support.withdrawals import ask, fund, register, wait, withdrawn

SUPPLIER, PARTNER, OWN = "supplier@example.com", "partner{}@example.com", "thief{}@example.com"
ABOVE, PER_DAY = 100_00, 300_00
DECLINED = PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.BANK_REJECTED.failure)
UNKNOWN = "wdr_01KAGTW3Q8XJ5V0N2B7R4C9WDR"


def to(key: str) -> dict[str, str]:
    return {"pixKey": key, "pixKeyType": "EMAIL"}


class Thief:
    """Its holdings, what honest people approved, and what was tried with which answers."""

    by_file: ProviderAccount

    def __init__(self, shop: Shop, role: Role, environment: Environment, chance: random.Random) -> None:
        self.shop, self.role, self.chance, self.address = shop, role, chance, another_address()
        self.is_real = environment == Environment.PRODUCTION
        self.merchant: Merchant = shop.production if self.is_real else shop.sandbox
        self.owner = a_member(shop.company, Role.OWNER)
        self.admin = a_member(shop.company, role, "admin@acme.example")
        self.accomplice = a_member(shop.company, Role.VIEWER)
        self.unwary = a_member(shop.company, Role.FINANCE)
        self._earn()
        self.record, text = issue_key(self.merchant, ALL, by=self.admin)
        self.api = Api(text, self.address)
        self.honest = an_approver(shop, self.address, by=self.owner, merchant=self.merchant)
        self.session = browser_of(self.admin)
        supplier = {"name": "Supplier", "rail": "PIX", "currency": "BRL", "destination": to(SUPPLIER)}
        assert self.api.post("/beneficiaries", supplier).status_code == 201
        limits = {"above": {"BRL": ABOVE}, "per_beneficiary": {"BRL": PER_DAY}}
        set_rules(self.merchant, self.owner, people=1, outside_book="APPROVED", cooling_off_h=24, **limits)
        self.blessed: dict[str, tuple[int, str]] = {}
        self.answers: Counter[str] = Counter()
        self.number = 0

    def _earn(self) -> None:
        register(self.shop, self.address)
        if not self.is_real:
            fund(Api(self.shop.sandbox_key, self.address))
            fund(Api(self.shop.sandbox_key, self.address))
            return
        rewritten()
        with_real_money(self.shop, self.address, amount=250_000.00)
        self.merchant.refresh_from_db()
        self.by_file = bank_account(BRAZIL, provider="manual")
        paid_out_by(Place(active("pays out"), largest=ABOVE), Place(self.by_file, smallest=ABOVE + 1))
        done = PayoutOutcome(PayoutResult.DONE, reference="E-1")
        SCRIPT.answers |= {"send": [done], "ask payout": [done]}

    @property
    def nobodys_key(self) -> str:
        return self.shop.production_key if self.is_real else self.shop.sandbox_key

    def page(self, name: str, *args: str) -> str:
        return reverse(f"dashboard:{name}", args=(self.shop.company.pk, self.merchant.environment.lower(), *args))

    def someone(self) -> str:
        return OWN.format(self.chance.randrange(9))

    def asked(self, key: str | None = None, amount: int | None = None) -> dict[str, Any]:
        """A withdrawal to the thief that waits."""
        cents = amount or self.chance.choice((1_00, ABOVE, ABOVE + 1, 250_00))
        answer = ask(self.api, self.shop, amount=cents / 100, **to(key or self.someone()))
        return dict(answer.json().get("data") or {"id": UNKNOWN})

    def approved_by_the_owner(self) -> dict[str, Any]:
        """An honest withdrawal, known to the thief, that may leave now as it stands."""
        key = PARTNER.format(self.number)
        made = withdrawn(self.api, self.shop, amount=150, **to(key))
        assert approve(self.honest, made).status_code == 201
        self.blessed[made["id"]] = (150_00, key)
        return made

    # ── Attempts ──────────────────────────────────────────────────────────────────────────────────────────────────
    def note(self, what: str, answer: Any) -> None:
        code = getattr(answer, "status_code", answer)
        body = answer.json().get("onpayCode", "") if getattr(answer, "content", b"")[:1] == b"{" else ""
        self.answers[f"{what} {code} {body}".strip()] += 1

    def tries(self, what: str, act: Callable[[], Any]) -> Any:
        try:
            answer = act()
        except Refusal as refusal:
            self.note(what, refusal.public_code)
            return None
        self.note(what, answer if hasattr(answer, "status_code") else "done")
        return answer

    def staff_record(self, withdrawal_id: str, outcome: PayoutOutcome) -> Any:
        """What staff record of a withdrawal if somebody talks them into it: in production two of them."""
        made = put(request_of(enters()), WithdrawalOutcome(), withdrawal_id, values_of(outcome), "They called")
        if not isinstance(made, Proposal):
            return made
        return confirm(request_of(confirms()), made.pk, made.digest, "Me too")

    # ── What happens without the thief ────────────────────────────────────────────────────────────────────────────
    def by_itself(self) -> None:
        """What is due, and in production the batches of the day."""
        due.run_due()
        if self.is_real:
            with suppress(NothingToGather):
                handed_over(release(gathered(self.by_file)))
        else:
            wait(self.api, 5)

    def clean_up(self) -> None:
        """What still waits for approval fails, and its money is free."""
        for one in self.waiting():
            services.decide(Merchant.objects.get(pk=self.merchant.pk), one, DECLINED)

    def waiting(self) -> list[str]:
        return list(Withdrawal.objects.filter(approval="PENDING").values_list("pk", flat=True))

    def stolen(self) -> list[str]:
        """What left, or is about to, although nobody else approved it as it stands and it is not small and known."""
        gone = Withdrawal.objects.exclude(sent_at=None, completed_at=None).order_by("pk")
        return [one.pk for one in gone if not self._may_leave(one)]

    def _may_leave(self, one: Withdrawal) -> bool:
        key = json.loads(unseal(bytes(one.sealed_destination)))["pixKey"].casefold()
        if one.approval is None:
            return one.amount <= ABOVE and key == SUPPLIER
        return self.blessed.get(one.pk) == (one.amount, key)
