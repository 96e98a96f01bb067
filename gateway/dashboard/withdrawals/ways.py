"""The ways to withdraw, as they appear in URLs."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.dashboard.withdrawals.forms import (
    ArgentineForm,
    BrazilianForm,
    ColombianForm,
    CryptoForm,
    PixForm,
    SpeiForm,
    WithdrawalForm,
)
from gateway.payouts.crypto.rail import NETWORKS


@dataclass(frozen=True)
class WithdrawalKind:
    """One way: its name in URLs, its form, and the currencies that it pays out."""

    slug: str
    form: type[WithdrawalForm]
    pays_out: tuple[str, ...]

    @property
    def rail(self) -> str:
        return self.form.rail

    @property
    def wallet(self) -> str:
        return self.form.wallet


WAYS: Mapping[str, WithdrawalKind] = {
    way.slug: way
    for way in (
        WithdrawalKind("pix", PixForm, ("BRL",)),
        WithdrawalKind("brl", BrazilianForm, ("BRL",)),
        WithdrawalKind("spei", SpeiForm, ("MXN",)),
        WithdrawalKind("ars", ArgentineForm, ("ARS",)),
        WithdrawalKind("cop", ColombianForm, ("COP",)),
        WithdrawalKind("crypto", CryptoForm, tuple(NETWORKS)),
    )
}
