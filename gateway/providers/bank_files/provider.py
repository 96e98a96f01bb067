"""A bank account that pays by file. Nobody is called about a withdrawal: the bank's answers come in files, too."""

from collections.abc import Mapping, Sequence
from datetime import time
from typing import ClassVar
from zoneinfo import ZoneInfo

from gateway.bank_files.cnab import payment_files
from gateway.bank_files.cnab.records import Unwritable as UnwritableLine
from gateway.bank_files.iso20022 import pain001
from gateway.bank_files.shapes import Party, PaymentFile, UnwritableOrder, Way
from gateway.methods.rail import Rail
from gateway.payouts.by_batch import ArgentineByBatch, BrazilianByBatch, ColombianByBatch, PixByBatch, SpeiByBatch
from gateway.payouts.rail import PayoutRail
from gateway.providers.bank_files.credentials import BankFilesCredentials
from gateway.providers.by_file import Countries, Folder, Inbox, PaysByFile, Unwritable
from gateway.providers.provider import Provider

CNAB = "CNAB 240"
PAID_OUT: tuple[type[PayoutRail], ...] = (
    *(PixByBatch, BrazilianByBatch, SpeiByBatch, ArgentineByBatch, ColombianByBatch),
)


class BankFile(PaysByFile):
    """Files of one account in the format of its bank."""

    def __init__(self, credentials: BankFilesCredentials) -> None:
        self._credentials = credentials
        self.format = credentials.format  # type: ignore[misc]
        self.extension = "rem" if credentials.format == CNAB else "xml"  # type: ignore[misc]

    @property
    def payer(self) -> Party:
        return self._credentials.payer

    @property
    def agreement(self) -> str:
        return self._credentials.agreement

    @property
    def first_sequence(self) -> int:
        return self._credentials.first_sequence

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self._credentials.zone)

    @property
    def cut_offs(self) -> Sequence[time]:
        return [time.fromisoformat(one) for one in self._credentials.gathered_at.split()]

    @property
    def folder(self) -> Folder | None:
        return self._credentials.folder

    @property
    def inbox(self) -> Inbox | None:
        return self._credentials.inbox

    def payee(self, rail: str, destination: Mapping[str, str]) -> tuple[Way, Party]:
        return Countries(ted=self._credentials.accounts_by == "TED").payee(rail, destination)

    def write(self, file: PaymentFile) -> bytes:
        try:
            return payment_files.write(file) if self.format == CNAB else pain001.write(file)
        except UnwritableOrder as wrong:
            raise Unwritable(wrong.reason, wrong.number) from None
        except UnwritableLine as wrong:
            raise Unwritable(str(wrong)) from None


class BankFilesProvider(Provider[BankFilesCredentials]):
    """A bank account that is used by files."""

    name: ClassVar[str] = "bank-files"
    title: ClassVar[str] = "Bank account by files"
    answers: ClassVar[bool] = False
    credentials_type = BankFilesCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = ()
    payouts: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        (rail.rail, market.currency) for rail in PAID_OUT for market in rail.markets
    )

    def rails(self) -> Sequence[Rail]:
        return ()

    def payout_rails(self) -> Sequence[PayoutRail]:
        own = self.credentials.currency
        return [rail() for rail in PAID_OUT if own in {market.currency for market in rail.markets}]

    def by_file(self) -> PaysByFile:
        return BankFile(self.credentials)

    def check(self) -> None:
        """Looks into the folders, where there are some. Raises NotConnected."""
        if folder := self.credentials.folder:
            folder.check()


PROVIDER = BankFilesProvider
