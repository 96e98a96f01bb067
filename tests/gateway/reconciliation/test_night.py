"""A night at a bank that makes mistakes: each has its named outcome, and the books equal the bank to the cent."""

import pytest

from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.night.night import Night


@pytest.mark.django_db(transaction=True)
def test_every_deviation_of_a_night_has_its_outcome_and_moves_nothing_else(acme: Shop) -> None:
    night = Night([acme.production], boletos=7, withdrawals=22)

    night.pass_()

    assert night.amiss() == []
    assert len(night.planted) > 40
    assert verify() == []
