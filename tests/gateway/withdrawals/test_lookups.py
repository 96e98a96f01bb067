"""What became of a withdrawal can be found: by its id, its reference and by what it is."""

from typing import Any

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import SPEI, USDT, fund, refusal, wait, withdrawn


def test_the_list_finds_withdrawals_by_what_they_are(out: Api, acme: Shop) -> None:
    fund(out, "MXN")
    first = withdrawn(out, acme, reference="first")
    second = withdrawn(out, acme, SPEI, amount=904)
    third = withdrawn(out, acme, USDT, amount=904, minimumAssetAmount=None)
    wait(out, 6)

    def found(**query: Any) -> list[str]:
        return [one["id"] for one in out.get("/withdrawals", **query).json()["data"]]

    assert found() == [third["id"], second["id"], first["id"]]
    assert found(status="COMPLETED") == [first["id"]]
    assert found(rail="CRYPTO") == [third["id"]]
    assert found(currency="BRL", status="PROCESSING") == [third["id"]]
    assert found(reference="first") == [first["id"]]
    assert found(createdFrom=second["createdAt"]) == [third["id"], second["id"]]
    assert found(createdTo="2020-01-01") == []
    for query in ({"status": "DONE"}, {"rail": "pix"}, {"currency": "XXX"}, {"createdFrom": "soon"}):
        assert refusal(out.get("/withdrawals", **query))[0] == 400
