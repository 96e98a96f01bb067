"""Payment links of the demo company: one that is being paid, one that is paid, and one on which the payer chooses."""

from decimal import Decimal

from accounts.models import Merchant, User
from gateway.customers.payer import Payer
from gateway.demo.history import PEOPLE
from gateway.payment_links import services
from gateway.payment_links.models import PaymentLink, State
from gateway.payment_links.services import LinkDraft
from gateway.payments import services as payments
from gateway.payments.models import Status
from gateway.payments.services import Request


def share(merchant: Merchant, by: User) -> None:
    """Makes the links, and lets people pay with them."""
    course = _link(merchant, by, "Curso de cerâmica, turma de sábado", "480", max_uses=12, reference_prefix="curso")
    for number in range(len(PEOPLE)):
        _pay(course, "480", number, Status.PAID if number else None)
    chair = _link(merchant, by, "Poltrona Leme, sob encomenda", "1250", max_uses=1)
    _pay(chair, "1250", 1, Status.FAILED)
    _pay(chair, "1250", 1, Status.PAID)
    support = _link(merchant, by, "Apoie a oficina da comunidade", "10", "500")
    _pay(support, "25", 2, Status.PAID)
    _pay(support, "150", 0, Status.PAID)
    market = _link(merchant, by, "Feira de Natal: reserva da mesa", "90")
    services.change(merchant, market.pk, State.PAUSED)


def _link(
    merchant: Merchant,
    by: User,
    description: str,
    least: str,
    most: str | None = None,
    *,
    max_uses: int | None = None,
    reference_prefix: str = "",
) -> PaymentLink:
    draft = LinkDraft(
        description, "BRL", Decimal(least), Decimal(most or least), max_uses=max_uses, reference_prefix=reference_prefix
    )
    return services.create(merchant, draft, by=by)


def _pay(link: PaymentLink, amount: str, number: int, outcome: Status | None) -> None:
    """By PIX, as one of the people of the demo company; without an outcome it stays open."""
    name, tax_id, email = PEOPLE[number]
    payer = Payer(name=name, tax_id=tax_id, tax_id_type="CPF" if len(tax_id) == 11 else "CNPJ", email=email)
    once = f"{number}-{outcome}"
    payment = services.pay(link, Request("PIX", Decimal(amount), "BRL", "", payer), once)
    if outcome:
        payments.simulate(link.merchant, payment.pk, outcome)
