"""OFX 1.0.2 of the available balance of one wallet: what accounting programs read."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from accounts.models import Merchant
from gateway.months.books import Part, Span
from ledger.money import to_decimal

_HEAD = (
    "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\n"
    "COMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n"
)
_NAME, _MEMO = 32, 255


class Ofx:
    """The parts of the file: its head, the transactions (a fee is one of its own), and its end."""

    def __init__(self, merchant: Merchant, currency: str, span: Span, zone: ZoneInfo) -> None:
        self.merchant, self.currency, self.span, self.zone = merchant, currency, span, zone
        self.until = self._time(span.ends - timedelta(seconds=1))

    def head(self, language: str) -> bytes:
        account = f"{self.merchant.company_id[-12:]}-{self.currency}"
        return self._encoded(
            f"{_HEAD}<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
            f"<DTSERVER>{self.until}</DTSERVER><LANGUAGE>{language}</LANGUAGE>"
            f"<FI><ORG>Onpay Gateway</ORG><FID>ONPAY</FID></FI></SONRS></SIGNONMSGSRSV1>\r\n"
            f"<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
            f"<STMTRS><CURDEF>{self.currency}</CURDEF><BANKACCTFROM><BANKID>ONPAY</BANKID><ACCTID>{account}</ACCTID>"
            f"<ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\r\n"
            f"<BANKTRANLIST><DTSTART>{self._time(self.span.begins)}</DTSTART><DTEND>{self.until}</DTEND>\r\n"
        )

    def transactions(self, part: Part, name: str, memo: str) -> bytes:
        """What a transfer moved, and the fees that were taken from it."""
        amount = self._transaction(part, str(part.number), part.amount, name, memo)
        fee = self._transaction(part, f"{part.number}-F", -part.fee, name, memo, kind="FEE")
        cost = self._transaction(part, f"{part.number}-A", -part.advance_fee, name, memo, kind="FEE")
        return self._encoded(amount + fee + cost)

    def _transaction(self, part: Part, number: str, minor: int, name: str, memo: str, kind: str = "") -> str:
        if not minor:
            return ""
        kind = kind or ("CREDIT" if minor > 0 else "DEBIT")
        return (
            f"<STMTTRN><TRNTYPE>{kind}</TRNTYPE><DTPOSTED>{self._time(part.posted_at)}</DTPOSTED>"
            f"<TRNAMT>{to_decimal(minor, self.currency)}</TRNAMT><FITID>{number}</FITID>"
            f"<NAME>{_text(name, _NAME)}</NAME><MEMO>{_text(memo, _MEMO)}</MEMO></STMTTRN>\r\n"
        )

    def end(self, ending: int) -> bytes:
        amount, at = to_decimal(ending, self.currency), self.until
        return self._encoded(
            f"</BANKTRANLIST>\r\n<LEDGERBAL><BALAMT>{amount}</BALAMT><DTASOF>{at}</DTASOF></LEDGERBAL>"
            f"<AVAILBAL><BALAMT>{amount}</BALAMT><DTASOF>{at}</DTASOF></AVAILBAL>"
            "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n"
        )

    def _encoded(self, text: str) -> bytes:
        return text.encode("cp1252", errors="replace")

    def _time(self, moment: datetime) -> str:
        there = moment.astimezone(self.zone)
        offset = there.utcoffset()
        assert offset is not None
        return f"{there:%Y%m%d%H%M%S}[{offset.total_seconds() / 3600:g}]"


def _text(text: str, most: int) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in text)[:most]
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
