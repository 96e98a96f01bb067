"""The boleto on paper: the payer's receipt above, the slip for the bank below, on one A4 page."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import ceil
from typing import Any

import zxingcpp
from reportlab.graphics.barcode.common import I2of5
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from gateway.methods import documents
from gateway.methods.boleto.numbers import spaced
from gateway.methods.due_dates import SAO_PAULO
from gateway.methods.paper import Paper, printable
from ledger.notation import notation_of, written

LEFT, WIDTH, SIDE = 15, 180, 50
"""Whole millimetres, as all lengths here: the margin, what is printed, the column of amounts at the right."""
ROW = 8
BARS_WIDTH, BARS_HEIGHT, QR_SIZE = 103, 13, 32
_MODULES = 4 + 22 * 18 + 5
"""Widths of a narrow bar in the barcode: start, 22 pairs of digits at 3:1, stop."""
_PLAIN, _BOLD, _FIXED = "Helvetica", "Helvetica-Bold", "Courier"
BANKS = {
    "033": ("Santander", "033-7"),
    "237": ("Bradesco", "237-2"),
    "341": ("Banco Itaú S.A.", "341-7"),
    "999": ("Banco Sandbox", "999-7"),
}
"""Name and code with its check digit."""
_GREY, _GREEN = HexColor("#e6e6e6"), HexColor("#008033bf", hasAlpha=True)


@dataclass(frozen=True, slots=True)
class BoletoDocument:
    """The contents of the page. `bank_code` with its check digit; `pix_code` None: no QR code."""

    bank_name: str
    bank_code: str
    digitable_line: str
    barcode: str
    beneficiary: str
    beneficiary_tax_id: str
    payer_name: str
    payer_tax_id: str
    payer_address: str
    document_number: str
    issued_on: date
    due_date: date
    amount: Decimal
    instructions: Sequence[str]
    pix_code: str | None
    our_number: str
    beneficiary_code: str
    wallet: str
    is_payable: bool
    sandbox: bool
    paid: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A box of the form: its small title, what is in it, and how wide it is."""

    title: str
    text: str
    width: int
    right: bool = False
    bold: bool = False


def document_of(
    details: Mapping[str, Any],
    payer: Mapping[str, Any],
    *,
    beneficiary_tax_id: str,
    amount: Decimal,
    created_at: datetime,
    expires_at: datetime,
    is_payable: bool,
    sandbox: bool,
    paid: bool,
) -> BoletoDocument:
    """The document of a payment, from its details and its payer snapshot."""
    last_day, bars = expires_at.astimezone(SAO_PAULO).date(), details["barcode"]
    bank_name, bank_code = BANKS.get(bars[:3], ("", bars[:3]))
    instructions = [
        "Pague em qualquer banco, lotérica ou aplicativo, pelo código de barras ou pela linha digitável.",
        f"Sr. Caixa: não receber após {_day(last_day)}. Não cobrar juros nem multa.",
    ]
    if not is_payable:
        instructions.insert(0, "Aguarda registro no banco: ainda não pode ser pago. Pague após o registro.")
    if details.get("pixCopyPaste"):
        instructions.append("O PIX e o código de barras são da mesma cobrança: pague apenas uma vez.")
    return BoletoDocument(
        bank_name=bank_name,
        bank_code=bank_code,
        digitable_line=details["digitableLine"],
        barcode=bars,
        beneficiary=details["beneficiary"],
        beneficiary_tax_id=beneficiary_tax_id,
        payer_name=payer["name"],
        payer_tax_id=payer.get("taxId") or "",
        payer_address=_address(payer.get("address") or {}),
        document_number=details["documentNumber"],
        issued_on=created_at.astimezone(SAO_PAULO).date(),
        due_date=date.fromisoformat(details["dueDate"]),
        amount=amount,
        instructions=instructions,
        pix_code=details.get("pixCopyPaste"),
        our_number=details.get("bankNumber", bars[19:34]),
        beneficiary_code=details.get("beneficiaryCode", "0001 / ONPAY"),
        wallet=details.get("wallet", "1"),
        is_payable=is_payable,
        sandbox=sandbox,
        paid=paid,
    )


def render(document: BoletoDocument) -> bytes:
    """The PDF; deterministic for the same document."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1, lang="pt-BR")
    canvas.setTitle(f"Boleto {document.document_number}")
    canvas.setAuthor(printable(document.beneficiary))
    paper = _BoletoPaper(canvas)
    if document.sandbox:  # first, so that it is below everything else
        for middle in (73, 205):
            paper.mark("SANDBOX · SEM VALOR", middle)
    _receipt(paper, document)
    paper.cut_line(134)
    _slip(paper, document)
    if not document.is_payable:
        for middle in (73, 205):
            paper.mark("AGUARDA REGISTRO NO BANCO", middle)
    if document.paid:
        for x, y in ((165, 74), (116, 209)):
            paper.stamp("PAGO", x, y)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


class _BoletoPaper(Paper):
    """Measured in millimetres, as forms are."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas, mm, A4[1])

    def text(self, x: int, y: int, text: str, *, size: int = 8, font: str = _PLAIN, right: bool = False) -> None:
        self.put(x, y, text, size=size, font=font, right=right)

    def line(self, x1: int, y1: int, x2: int, y2: int, half_points: int = 1) -> None:
        self.canvas.setLineWidth(half_points / 2)
        self.canvas.line(x1 * mm, A4[1] - y1 * mm, x2 * mm, A4[1] - y2 * mm)

    def header(self, y: int, document: BoletoDocument, right: str, *, size: int) -> None:
        """Bank, its code, and at the right the digitable line or the name of the part."""
        self.text(LEFT, y, _truncated(document.bank_name, 36, _BOLD, 12), size=12, font=_BOLD)
        self.text(LEFT + 50, y, document.bank_code, size=14, font=_BOLD, right=True)
        self.text(LEFT + WIDTH, y, right, size=size, font=_BOLD, right=True)
        for x in (LEFT + 36, LEFT + 52):
            self.line(x, y - 5, x, y + 2, 2)
        self.line(LEFT, y + 2, LEFT + WIDTH, y + 2, 2)

    def row(self, y: int, cells: Sequence[Cell], *, x: int = LEFT, height: int = ROW) -> int:
        """Boxes side by side under `y`; returns where the next row begins."""
        for cell in cells:
            self.text(x + 1, y + 3, cell.title, size=6)
            font = _BOLD if cell.bold else _PLAIN
            shown = _truncated(cell.text, cell.width - 3, font, 9)
            self.text(x + cell.width - 1 if cell.right else x + 1, y + 7, shown, size=9, font=font, right=cell.right)
            self.line(x, y, x, y + height)
            x += cell.width
        self.line(x, y, x, y + height)
        self.line(x - sum(cell.width for cell in cells), y + height, x, y + height)
        return y + height

    def block(self, y: int, title: str, lines: Sequence[str], width: int, height: int) -> int:
        """A tall box with several lines; what does not fit is left out."""
        self.text(LEFT + 1, y + 3, title, size=6)
        room = (height - 4) // 4
        for number, line in enumerate(lines[:room]):
            self.text(LEFT + 1, y + 7 + 4 * number, _truncated(line, width - 3, _PLAIN, 8), size=8)
        for x in (LEFT, LEFT + width):
            self.line(x, y, x, y + height)
        self.line(LEFT, y + height, LEFT + width, y + height)
        return y + height

    def cut_line(self, y: int) -> None:
        """The line at which the page is cut in two."""
        self.text(LEFT + WIDTH, y - 1, "Corte na linha pontilhada", size=6, right=True)
        self.canvas.setDash(2, 2)
        self.line(LEFT, y, LEFT + WIDTH, y)
        self.canvas.setDash()

    def bars(self, x: int, y: int, digits: str) -> None:
        """Interleaved 2 of 5 without checksum or bearer bars, 103 x 13 mm, wide to narrow 3:1."""
        narrow = BARS_WIDTH * mm / _MODULES
        bars = I2of5(digits, barWidth=narrow, ratio=3, barHeight=BARS_HEIGHT * mm, bearers=0, quiet=0, checksum=0)
        bars.drawOn(self.canvas, x * mm, A4[1] - (y + BARS_HEIGHT) * mm)

    def qr(self, x: int, y: int, code: str) -> None:
        """A QR code with its quiet zone, each run of dark modules one rectangle: sharp at every size."""
        symbol = zxingcpp.create_barcode(code, zxingcpp.BarcodeFormat.QRCode, ec_level="M")
        image: Any = symbol.to_image()
        rows: Any = memoryview(image).tolist()
        module = QR_SIZE * mm / len(rows)
        path = self.canvas.beginPath()
        for number, row in enumerate(rows, start=1):
            for first, length in _runs(row):
                path.rect(x * mm + first * module, A4[1] - y * mm - number * module, length * module, module)
        self.canvas.drawPath(path, stroke=0, fill=1)

    def mark(self, text: str, y: int) -> None:
        """Large letters across the page, centered at `y`."""
        self.canvas.saveState()
        self.canvas.translate(A4[0] / 2, A4[1] - y * mm)
        self.canvas.rotate(20)
        self.canvas.setFillColor(_GREY)
        self.canvas.setFont(_BOLD, 36)
        self.canvas.drawCentredString(0, -12, text)
        self.canvas.restoreState()

    def stamp(self, text: str, x: int, y: int) -> None:
        """A stamp over the printed text, centered at `x`, `y`."""
        self.canvas.saveState()
        self.canvas.translate(x * mm, A4[1] - y * mm)
        self.canvas.rotate(12)
        self.canvas.setFillColor(_GREEN)
        self.canvas.setStrokeColor(_GREEN)
        self.canvas.setLineWidth(3)
        self.canvas.roundRect(-27 * mm, -9 * mm, 54 * mm, 18 * mm, 3 * mm)
        self.canvas.setFont(_BOLD, 44)
        self.canvas.drawCentredString(0, -15, text)
        self.canvas.restoreState()


def _receipt(paper: _BoletoPaper, document: BoletoDocument) -> None:
    wide = WIDTH - SIDE
    paper.header(18, document, "Recibo do Pagador", size=10)
    y = paper.row(20, [Cell("Beneficiário", _beneficiary(document), wide), _due(document)])
    y = paper.row(y, [Cell("Pagador", _payer(document), wide), _amount(document)])
    y = paper.row(y, [Cell("Endereço do pagador", document.payer_address, wide), _our_number(document)])
    y = paper.row(
        y,
        [
            Cell("Nº do documento", document.document_number, 45),
            Cell("Data do documento", _day(document.issued_on), 40),
            Cell("Espécie doc.", "DM", 25),
            Cell("Moeda", "R$", 20),
            Cell("(=) Valor cobrado", "", SIDE),
        ],
    )
    y = paper.row(y, [Cell("Linha digitável", spaced(document.digitable_line), WIDTH, bold=True)])
    y = paper.block(y, "Instruções", _instructions(document, WIDTH), WIDTH, 26)
    if document.pix_code:
        y = _copy_and_paste(paper, y, document.pix_code)
    paper.text(LEFT + WIDTH, y + 3, "Autenticação mecânica", size=6, right=True)


def _copy_and_paste(paper: _BoletoPaper, y: int, code: str) -> int:
    """Monospaced, broken at line ends: copying the lines yields the code."""
    lines = [code[start : start + 105] for start in range(0, len(code), 105)]
    paper.text(LEFT + 1, y + 3, "PIX copia e cola", size=6)
    for number, line in enumerate(lines[:3]):
        paper.text(LEFT + 1, y + 6 + 3 * number, line, size=8, font=_FIXED)
    height = 14
    for x in (LEFT, LEFT + WIDTH):
        paper.line(x, y, x, y + height)
    paper.line(LEFT, y + height, LEFT + WIDTH, y + height)
    return y + height


def _slip(paper: _BoletoPaper, document: BoletoDocument) -> None:
    wide = WIDTH - SIDE
    paper.header(146, document, spaced(document.digitable_line), size=12)
    anywhere = "Pagável em qualquer banco, lotérica ou aplicativo"
    y = paper.row(148, [Cell("Local de pagamento", anywhere, wide), _due(document)])
    y = paper.row(
        y,
        [
            Cell("Beneficiário", _beneficiary(document), wide),
            Cell("Agência / Código do beneficiário", document.beneficiary_code, SIDE, right=True),
        ],
    )
    issued = _day(document.issued_on)
    y = paper.row(
        y,
        [
            Cell("Data do documento", issued, 30),
            Cell("Nº do documento", document.document_number, 38),
            Cell("Espécie doc.", "DM", 18),
            Cell("Aceite", "N", 14),
            Cell("Data do processamento", issued, 30),
            _our_number(document),
        ],
    )
    y = paper.row(
        y,
        [
            Cell("Uso do banco", "", 30),
            Cell("Carteira", document.wallet, 20),
            Cell("Espécie moeda", "R$", 20),
            Cell("Quantidade", "", 30),
            Cell("Valor", "", 30),
            _amount(document),
        ],
    )
    titles = ("(-) Desconto / Abatimento", "(-) Outras deduções", "(+) Mora / Multa", "(+) Outros acréscimos")
    side = y
    for title in (*titles, "(=) Valor cobrado"):
        side = paper.row(side, [Cell(title, "", SIDE)], x=LEFT + wide)
    responsible = "Instruções (texto de responsabilidade do beneficiário)"
    y = paper.block(y, responsible, _instructions(document, wide), wide, side - y)
    payer = [_payer(document), *_wrapped(document.payer_address, WIDTH - 3, 8, 2)]
    y = paper.block(y, "Pagador", payer, WIDTH, 16)
    paper.text(LEFT + WIDTH, y + 3, "Autenticação mecânica - Ficha de Compensação", size=6, right=True)
    paper.bars(LEFT, y + 6, document.barcode)
    if document.pix_code:
        paper.qr(LEFT + WIDTH - QR_SIZE, y + 4, document.pix_code)
        paper.text(LEFT + 112, y + 13, "Pague com PIX", size=10, font=_BOLD)
        for number, line in enumerate(("Abra o aplicativo do seu", "banco e leia o código ao lado.")):
            paper.text(LEFT + 112, y + 18 + 3 * number, line, size=7)


def _due(document: BoletoDocument) -> Cell:
    return Cell("Vencimento", _day(document.due_date), SIDE, right=True, bold=True)


def _amount(document: BoletoDocument) -> Cell:
    shown = written(document.amount, "BRL", used=notation_of("BR"))
    return Cell("(=) Valor do documento", shown, SIDE, right=True, bold=True)


def _our_number(document: BoletoDocument) -> Cell:
    return Cell("Nosso número", document.our_number, SIDE, right=True)


def _beneficiary(document: BoletoDocument) -> str:
    return _with_tax_id(document.beneficiary, document.beneficiary_tax_id)


def _payer(document: BoletoDocument) -> str:
    return _with_tax_id(document.payer_name, document.payer_tax_id)


def _with_tax_id(name: str, tax_id: str) -> str:
    """A long name is shortened, so that the document after it is never cut off."""
    shown = f" - {_punctuated(tax_id)}" if tax_id else ""
    room = WIDTH - SIDE - 3 - ceil(stringWidth(shown, _PLAIN, 9) / mm)
    return _truncated(name, room, _PLAIN, 9) + shown


def _punctuated(tax_id: str) -> str:
    kind = documents.type_of(tax_id)
    if kind == "CPF":
        return f"CPF {tax_id[:3]}.{tax_id[3:6]}.{tax_id[6:9]}-{tax_id[9:]}"
    if kind == "CNPJ":
        return f"CNPJ {tax_id[:2]}.{tax_id[2:5]}.{tax_id[5:8]}/{tax_id[8:12]}-{tax_id[12:]}"
    return tax_id


def _address(address: Mapping[str, Any]) -> str:
    """The postal address in one line."""
    known = {name: str(value).strip() for name, value in address.items() if value}
    digits = "".join(c for c in known.get("postalCode", "") if c.isdigit())
    postal_code = f"CEP {digits[:5]}-{digits[5:]}" if digits else ""
    street = ", ".join(known[name] for name in ("street", "number", "complement") if name in known)
    city = "/".join(part for part in (known.get("city"), known.get("state", "").upper()) if part)
    return " - ".join(part for part in (street, known.get("district"), city, postal_code) if part)


def _instructions(document: BoletoDocument, width: int) -> list[str]:
    return [line for text in document.instructions for line in _wrapped(text, width - 3, 8, 3)]


def _wrapped(text: str, width: int, size: int, lines: int) -> list[str]:
    found: list[str] = simpleSplit(printable(text), _PLAIN, size, width * mm)
    if len(found) > lines:
        found = [*found[: lines - 1], " ".join(found[lines - 1 :])]
    return [_truncated(line, width, _PLAIN, size) for line in found]


def _truncated(text: str, width: int, font: str, size: int) -> str:
    """The text, cut with an ellipsis if it does not fit."""
    text = printable(text)
    if stringWidth(text, font, size) <= width * mm:
        return text
    while text and stringWidth(text + "…", font, size) > width * mm:
        text = text[:-1]
    return text.rstrip() + "…"


def _day(day: date) -> str:
    return f"{day:%d/%m/%Y}"


def _runs(row: Sequence[int]) -> list[tuple[int, int]]:
    """Start and length of each run of dark modules in a row."""
    found: list[tuple[int, int]] = []
    for place, value in enumerate(row):
        if value:
            continue
        if found and sum(found[-1]) == place:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((place, 1))
    return found
