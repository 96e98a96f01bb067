"""The words of a receipt, in the languages of the markets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils import translation

from gateway.methods.registry import Method


@dataclass(frozen=True, slots=True)
class ReceiptWords:
    """`tag` names the language (BCP 47)."""

    tag: str
    title: str
    paid: str
    refunded: str
    refunded_amount: str
    no_value: str
    paid_at: str
    issued_at: str
    method: str
    card: str
    payer: str
    payee: str
    document: str
    reference: str
    due_date: str
    end_to_end_id: str
    tracking_key: str
    authorization_code: str
    payment: str
    receipt: str
    refunds: str
    more: str
    code: str
    check: str
    genuine: str
    genuine_sandbox: str
    status_now: str
    unknown: str
    compare: str

    def named(self, method: str) -> str:
        """A method of payment, as payers know it."""
        with translation.override(_CATALOGUE.get(self.tag, self.tag)):
            return _AS_BRANDED.get(method) or str(Method(method).label)


_CATALOGUE = {"pt-BR": "pt-br", "pt-PT": "pt-br"}
"""The catalogue of translations for a tag, where it is another."""
_AS_BRANDED = {"PIX": "Pix"}
"""The brand's own spelling."""


BRAZILIAN = ReceiptWords(
    tag="pt-BR",
    title="Comprovante de pagamento",
    paid="Pago",
    refunded="Reembolsado",
    refunded_amount="Valor reembolsado",
    no_value="SANDBOX · SEM VALOR",
    paid_at="Pago em",
    issued_at="Emitido em",
    method="Forma de pagamento",
    card="Cartão",
    payer="Pagador",
    payee="Recebedor",
    document="Documento do pagador",
    reference="Referência",
    due_date="Vencimento",
    end_to_end_id="ID da transação Pix",
    tracking_key="Código de rastreio",
    authorization_code="Código de autorização",
    payment="ID do pagamento",
    receipt="ID do comprovante",
    refunds="Reembolsos",
    more="e mais {}",
    code="Código de verificação",
    check="Leia o código QR ou abra o endereço para conferir se este comprovante é verdadeiro:",
    genuine="Este comprovante é verdadeiro.",
    genuine_sandbox="Este comprovante é do ambiente de testes: nenhum dinheiro foi movimentado.",
    status_now="Situação atual",
    unknown="Este comprovante não existe.",
    compare="Compare o endereço e o código com os do papel. Desconfie de quem apresentou este comprovante.",
)
PORTUGUESE = replace(
    BRAZILIAN,
    tag="pt-PT",
    title="Comprovativo de pagamento",
    payer="Ordenante",
    payee="Beneficiário",
    document="Documento do ordenante",
    tracking_key="Referência da transferência",
    receipt="ID do comprovativo",
    check="Leia o código QR ou abra o endereço para confirmar que este comprovativo é verdadeiro:",
    genuine="Este comprovativo é verdadeiro.",
    genuine_sandbox="Este comprovativo é do ambiente de testes: nenhum dinheiro foi movimentado.",
    status_now="Estado atual",
    unknown="Este comprovativo não existe.",
    compare="Compare o endereço e o código com os do papel. Desconfie de quem apresentou este comprovativo.",
)
SPANISH = ReceiptWords(
    tag="es",
    title="Comprobante de pago",
    paid="Pagado",
    refunded="Reembolsado",
    refunded_amount="Importe reembolsado",
    no_value="SANDBOX · SIN VALOR",
    paid_at="Pagado el",
    issued_at="Emitido el",
    method="Forma de pago",
    card="Tarjeta",
    payer="Pagador",
    payee="Beneficiario",
    document="Documento del pagador",
    reference="Referencia",
    due_date="Vencimiento",
    end_to_end_id="ID de la transacción Pix",
    tracking_key="Clave de rastreo",
    authorization_code="Código de autorización",
    payment="ID del pago",
    receipt="ID del comprobante",
    refunds="Reembolsos",
    more="y {} más",
    code="Código de verificación",
    check="Lea el código QR o abra la dirección para comprobar que este comprobante es auténtico:",
    genuine="Este comprobante es auténtico.",
    genuine_sandbox="Este comprobante es del entorno de pruebas: no se movió dinero.",
    status_now="Estado actual",
    unknown="Este comprobante no existe.",
    compare="Compare la dirección y el código con los del papel. Desconfíe de quien presentó este comprobante.",
)
ENGLISH = ReceiptWords(
    tag="en",
    title="Payment receipt",
    paid="Paid",
    refunded="Refunded",
    refunded_amount="Refunded amount",
    no_value="SANDBOX · NO VALUE",
    paid_at="Paid on",
    issued_at="Issued on",
    method="Payment method",
    card="Card",
    payer="Payer",
    payee="Payee",
    document="Payer’s document",
    reference="Reference",
    due_date="Due date",
    end_to_end_id="Pix end-to-end ID",
    tracking_key="Tracking key",
    authorization_code="Authorization code",
    payment="Payment ID",
    receipt="Receipt ID",
    refunds="Refunds",
    more="and {} more",
    code="Verification code",
    check="Scan the QR code or open the address to check that this receipt is genuine:",
    genuine="This receipt is genuine.",
    genuine_sandbox="This receipt is from the test environment: no money was moved.",
    status_now="Status now",
    unknown="There is no such receipt.",
    compare="Compare the address and the code with those on the paper. Be wary of whoever showed you this receipt.",
)
BY_LANGUAGE: Mapping[str, ReceiptWords] = {"pt": BRAZILIAN, "es": SPANISH, "en": ENGLISH}
