"""Staff enter a company's own receiving account in the admin, and the company takes real money with it."""

from django.test import Client

from accounts.models import Proposal
from gateway.models import MethodRule, ProviderAccount
from tests.support.companies import Shop
from tests.support.manual_provider import CLABE, COLOMBIA, MEXICO, live, ordered
from tests.support.proposals import NOTE, confirmed

ADD = "/admin/gateway/provideraccount/add/?provider=manual"
ROUTE = "/admin/gateway/provideraccount/set_route/"


def form_of(shop: Shop, given: dict[str, object]) -> dict[str, object]:
    whose = {"title": "Own account", "merchant": shop.company.pk, "system": "PRODUCTION"}
    return whose | NOTE | {f"credentials_{name}": value for name, value in given.items()}


def test_the_form_names_what_each_member_is_for(staff: Client) -> None:
    page = staff.get(ADD).content.decode()

    for label in ("Account holder", "CLABE (SPEI)", "Key (PIX)", "Number (Nequi)", "Instructions in Spanish"):
        assert label in page


def test_a_wrong_number_is_told_beside_its_field_and_nothing_is_stored(staff: Client, acme: Shop) -> None:
    wrong = staff.post(ADD, form_of(acme, MEXICO | {"clabe": CLABE[:-1] + "x"}))

    assert list(wrong.context["form"].errors) == ["credentials_clabe"]
    assert not ProviderAccount.objects.exists()


def test_two_people_connect_an_account_and_route_its_methods(
    staff: Client, colleague: Client, acme: Shop, address: str
) -> None:
    staff.post(ADD, form_of(acme, MEXICO | {"payers_time_s": ""}))
    confirmed(colleague, Proposal.objects.get())
    account = ProviderAccount.objects.get()
    assert (account.status, account.shown["clabe"], account.shown["payers_time_s"]) == ("ACTIVE", CLABE, 86_400)

    sent = {"way": "IN:SPEI:MXN", "merchant": acme.company.pk, "first": account.pk}
    staff.post(ROUTE, NOTE | sent)
    confirmed(colleague, Proposal.objects.get(state="OPEN"))
    MethodRule.objects.filter(environment="PRODUCTION", method="SPEI").update(enabled=True)

    assert ordered(live(acme, address), "SPEI")["bankDetails"]["clabe"] == CLABE


def test_a_route_takes_no_account_for_a_method_that_it_has_no_number_for(staff: Client, acme: Shop) -> None:
    staff.post(ADD, form_of(acme, {"holder": "Acme SAS", "nequi_number": COLOMBIA["nequi_number"]}))
    account = ProviderAccount.objects.get()
    ProviderAccount.objects.update(status="ACTIVE", confirmed_on_host=True)

    refused = staff.post(ROUTE, NOTE | {"way": "IN:PSE:COP", "merchant": acme.company.pk, "first": account.pk})

    assert "does not serve PSE in COP" in refused.content.decode()
