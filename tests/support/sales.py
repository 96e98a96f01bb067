"""What a company sells in a test, by the services, at whatever time its clock shows."""

from datetime import timedelta
from decimal import Decimal

from django.db import connection

from accounts.models import Merchant
from gateway.customers.payer import Payer
from gateway.payments import services as payments
from gateway.payments.models import Payment
from gateway.simulations import services as simulations
from tests.support.payments import a_reference

MARIA = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF", email="maria@example.com")
JOSE = Payer(name="José Núñez Araújo", tax_id="11144477735", tax_id_type="CPF", email="jose@example.com")
LOJA = Payer(name="Loja Irmãos Ñuñez", tax_id="11444777000161", tax_id_type="CNPJ", email="loja@example.com")
APPROVED, REFUSED, OF_DEBIT = "pmt_sandbox_approved", "pmt_sandbox_refused", "pmt_sandbox_debit"


def order(
    merchant: Merchant,
    amount: str = "150.00",
    *,
    payer: Payer = MARIA,
    method: str = "PIX",
    currency: str = "BRL",
    reference: str | None = None,
) -> Payment:
    """A payment that waits for its payer."""
    wish = payments.Request(method, Decimal(amount), currency, reference or a_reference(), payer)
    return payments.create(merchant, wish)


def sale(merchant: Merchant, amount: str = "150.00", *, status: str = "PAID", **wish: str | Payer) -> Payment:
    """A payment without a card that came to this end."""
    return payments.simulate(merchant, order(merchant, amount, **wish).id, status)  # type: ignore[arg-type]


def card(
    merchant: Merchant,
    amount: str = "200.00",
    *,
    payer: Payer = MARIA,
    method: str = "CREDIT_CARD",
    currency: str = "BRL",
    token: str = APPROVED,
) -> Payment:
    """A payment with a stored card, which decides at once."""
    wish = payments.Request(method, Decimal(amount), currency, a_reference(), payer, payment_method_token=token)
    return payments.create(merchant, wish)


def later(merchant: Merchant, **time: float) -> None:
    """The merchant's time goes on, with all that falls due on the way."""
    simulations.advance(merchant, by=timedelta(**time))


def many(like: Payment, count: int, apart_s: int = 1) -> None:
    """So many more payments like this open one, each so much older than the one before."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
                       "WHERE attrelid = 'gateway_payment'::regclass AND attnum > 0 AND NOT attisdropped "
                       "AND attname NOT IN ('id', 'reference', 'created_at')")  # fmt: skip
        [rest] = cursor.fetchone()
        cursor.execute(
            f"INSERT INTO gateway_payment (id, reference, created_at, {rest}) "
            f"SELECT 'pay_' || lpad(n::text, 26, '0'), 'lot-' || n, created_at - n * %s * interval '1 second', {rest} "
            "FROM gateway_payment, generate_series(1, %s) n WHERE id = %s",
            [apart_s, count, like.pk],
        )
