"""The receipt of a withdrawal that arrived: who paid, who received, and the id by which the bank knows it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from accounts import logos
from accounts.base.clock import now
from accounts.models import Environment
from gateway.payouts.registry import RailName, by_currency
from gateway.receipts import tax_ids, verification
from gateway.receipts.facts import ReceiptFacts, ReceiptRow
from gateway.receipts.markets import MARKETS
from gateway.withdrawals.models import Status, Withdrawal
from ledger.money import to_decimal

_ACCOUNTS = ("pixKey", "clabe", "cbu", "cvu", "alias", "accountNumber", "address")


@dataclass(frozen=True, slots=True)
class PayoutWords:
    """What the receipt of a payment has no word for."""

    title: str
    arrived: str
    returned: str
    bank: str
    account: str
    received: str
    transaction: str
    withdrawal: str


_PORTUGUESE = PayoutWords(
    "Comprovante de transferência", "Concluída", "Devolvida", "Banco", "Chave ou conta", "Valor recebido",
    "ID da transação", "ID do saque",
)  # fmt: skip
_WORDS = {
    "pt-BR": _PORTUGUESE,
    "pt-PT": replace(_PORTUGUESE, title="Comprovativo de transferência", withdrawal="ID do levantamento"),
    "es": PayoutWords(
        "Comprobante de transferencia", "Completada", "Devuelta", "Banco", "Clave o cuenta", "Importe recibido",
        "ID de la transacción", "ID del retiro",
    ),
    "en": PayoutWords(
        "Transfer receipt", "Completed", "Returned", "Bank", "Key or account", "Amount received", "Transaction ID",
        "Withdrawal ID",
    ),
}  # fmt: skip


def facts(withdrawal: Withdrawal) -> ReceiptFacts:
    """The facts of a withdrawal that arrived. Its merchant and company must be loaded."""
    market = MARKETS[withdrawal.currency]
    own = _WORDS[market.words.tag]
    assert withdrawal.completed_at is not None
    is_returned = withdrawal.status == Status.RETURNED
    return ReceiptFacts(
        words=replace(market.words, title=own.title),
        company=withdrawal.merchant.company.trade_name,
        logo=logos.of(withdrawal.merchant.company),
        amount=market.amount(to_decimal(withdrawal.amount, withdrawal.currency)),
        status=own.returned if is_returned else own.arrived,
        is_refunded=is_returned,
        refunded=None,
        paid_at=market.moment(withdrawal.completed_at),
        payer_tax_id=None,
        is_sandbox=withdrawal.merchant.environment == Environment.SANDBOX,
        rows=[ReceiptRow(title, [line for line in lines if line]) for title, lines in _rows(withdrawal, own)],
        refunds=[],
        code=verification.code(withdrawal),
        link=verification.link(withdrawal),
    )


def _rows(withdrawal: Withdrawal, own: PayoutWords) -> Iterator[tuple[str, list[str]]]:
    """The destination as it may be shown: masked."""
    market, shown, company = MARKETS[withdrawal.currency], withdrawal.destination, withdrawal.merchant.company
    words = market.words
    document = tax_ids.written(company.tax_id, company.tax_id_type) if company.tax_id else ""
    yield (
        words.method,
        [words.named(withdrawal.rail) if withdrawal.rail == "PIX" else str(RailName(withdrawal.rail).label)],
    )
    yield words.payer, [company.legal_name, f"{company.tax_id_type or ''} {document}".strip()]
    for title, value in (
        (words.payee, shown.get("beneficiaryName")),
        (own.bank, shown.get("bankName") or shown.get("bankCode")),
        (own.account, next((shown[name] for name in _ACCOUNTS if shown.get(name)), None)),
        (_proof_title(withdrawal, own), withdrawal.rail_reference),
    ):
        if value:
            yield title, [str(value)]
    if withdrawal.is_converted:
        received = to_decimal(withdrawal.payout_amount, withdrawal.payout_currency)
        yield own.received, [f"{received} {withdrawal.payout_currency}"]
    yield words.reference, [withdrawal.reference]
    yield own.withdrawal, [withdrawal.id]
    yield words.receipt, [verification.receipt_id(withdrawal)]
    yield words.issued_at, [market.moment(now(withdrawal.merchant))]


def _proof_title(withdrawal: Withdrawal, own: PayoutWords) -> str:
    words = MARKETS[withdrawal.currency].words
    rail = by_currency(withdrawal.rail)[withdrawal.payout_currency]
    if not rail.proof(withdrawal.rail_reference):
        return own.transaction
    known = {"endToEndId": words.end_to_end_id, "trackingKey": words.tracking_key}
    return known.get(rail.reference_name, own.transaction)
