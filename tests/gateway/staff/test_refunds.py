"""Refunds before staff: read whole, opened for payers, decided with a note, and files that only staff are given."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from gateway.models import Evidence, Payment, Refund
from gateway.refunds import due as refunds_due
from gateway.refunds import services as refunds
from gateway.refunds.services import Shown
from gateway.staff.kit.columns import address
from ledger.models import Hold, Transfer
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, browser_of
from tests.support.proposals import confirmed, proposed
from tests.support.staff_refunds import ADD, DECISIONS, NOTE, a_refund, everything, take_to_production
from webhooks.models import Event

PDF = b"%PDF-1.7\n<script>alert(1)</script>"
REFUSED = "s status does not allow this."


def staff_with(*permissions: str) -> Client:
    user = User.objects.create_user(f"{len(permissions)}@onpay.example", PASSWORD, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return browser_of(user)


def page_of(refund: Refund, name: str = "change") -> str:
    return address(Refund, "change", refund.pk).replace("/change/", f"/{name}/")


def offered(browser: Client, refund: Refund) -> list[str]:
    page = browser.get(page_of(refund)).content.decode()
    return [name for name in DECISIONS if f'href="{page_of(refund, name)}"' in page]


def test_a_refund_is_read_whole_and_leads_to_what_it_touches(staff: Client, acme: Shop) -> None:
    proof = Shown(url="https://acme.example/proof?a=1&b=2", description="Proof of delivery")
    file = Shown(file_name="a & b.pdf", content_type="application/pdf", content=PDF)
    refund = a_refund(acme.sandbox, "UNDER_REVIEW", proof, file)
    evidence = Evidence.objects.get(kind="FILE")
    hold, transfer = Hold.objects.get(refund_id=refund.id), Transfer.objects.get(reference=refund.id)

    page = staff.get(page_of(refund)).content.decode()
    said = ["150.00 BRL", "148.50 BRL", ">1.50 BRL", "refund.response_required"]
    said += ["Not &lt;b&gt;mine&lt;/b&gt;", "&lt;i&gt;Delivered&lt;/i&gt;", "a &amp; b.pdf", "Proof of delivery"]
    leads = ["https://acme.example/proof?a=1&amp;b=2", f"/admin/gateway/refund/evidence/{evidence.id}/"]
    leads += [address(type(one), "change", one.pk) for one in (refund.payment, acme.sandbox, hold, transfer)]
    assert [one for one in (*said, *(f'href="{where}"' for where in leads)) if one not in page] == []
    assert "alert(1)" not in page
    assert f'href="{page_of(refund)}"' in staff.get(address(Payment, "change", refund.payment_id)).content.decode()


def test_refunds_are_found_by_any_id_and_narrowed_to_what_is_due(staff: Client, acme: Shop, globex: Shop) -> None:
    due = a_refund(acme.sandbox, "AWAITING_RESPONSE")
    later = a_refund(globex.sandbox, "AWAITING_RESPONSE")
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(hours=50))
    reviewed = a_refund(globex.sandbox, "UNDER_REVIEW", Shown(url="https://globex.example/a"))
    own = refunds.create(globex.sandbox, a_payment(globex.sandbox, "PAID").id, amount=100, reference="Rf 'A'")
    Refund.objects.filter(pk=own.pk).update(end_to_end_id="D9" + "x" * 30)

    def found(**asked: str) -> set[str]:
        answer = staff.get(address(Refund, "changelist"), asked)
        return {row.pk for row in answer.context["cl"].result_list}

    for term, expected in [
        *((term, {due.id}) for term in (due.id, due.payment_id, acme.company.id)),
        *((term, {own.id}) for term in ("Rf 'A'", "D9" + "x" * 30)),
        *((term, {reviewed.id}) for term in Evidence.objects.values_list("id", "response_id").get()),
        (Event.objects.filter(object_id=later.id)[0].pk, {later.id}),
        ("nothing", set()),
    ]:
        assert found(q=term) == expected, term
    assert found(due="24") == {due.id}
    assert found(due="72") == {due.id, later.id}
    assert (found(status__exact="UNDER_REVIEW"), found(origin__exact="MERCHANT")) == ({reviewed.id}, {own.id})
    assert found(reason_code__exact="UNRECOGNIZED") == {due.id, later.id, reviewed.id}
    payments = staff.get(address(Payment, "changelist"), {"q": due.id}).context["cl"].result_list
    assert [one.pk for one in payments] == [due.payment_id]


def test_a_payers_refund_is_opened_from_its_payment(staff: Client, root: User, acme: Shop, api: Api) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    where = f"{ADD}?payment={payment.id}"
    assert f'href="{where}"' in staff.get(address(Payment, "change", payment.pk)).content.decode()
    form = form_in(staff.get(where).content)
    due = (utcnow() + timedelta(days=5)).replace(microsecond=0)

    wish = {"amount": "50.25", "reason_code": "FRAUD", "payer_statement": "Not me", "note": "MED 123"}
    days = {"response_due_at_0": f"{due:%Y-%m-%d}", "response_due_at_1": f"{due:%H:%M:%S}"}
    assert staff.post(where, form | wish | days).status_code == 302

    refund = Refund.objects.get()
    assert (refund.payment_id, refund.merchant_id, refund.origin) == (payment.id, acme.sandbox.pk, "PAYER")
    assert (refund.status, refund.amount, refund.is_full) == ("AWAITING_RESPONSE", 5025, False)
    assert (refund.reason_code, refund.payer_statement, refund.note) == ("FRAUD", "Not me", "MED 123")
    assert (refund.response_due_at, Hold.objects.get().amount) == (due, 5025)
    assert "MED 123" not in str(api.get(f"/refunds/{refund.id}").json()["data"])
    entry = LogEntry.objects.get(object_id=refund.id)
    assert (entry.user, entry.change_message) == (root, "Opened for the payer: MED 123")


def test_without_an_amount_all_that_is_left_is_asked_for(staff: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    refunds.create(acme.sandbox, payment.id, amount=5000)
    staff.post(ADD, {"payment": f" {payment.id} ", "reason_code": "OTHER", **NOTE})
    opened = Refund.objects.get(origin="PAYER")
    assert (opened.amount, opened.is_full) == (10000, True)
    assert (opened.payer_statement, opened.response_due_at) == (None, opened.created_at + timedelta(hours=72))


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("status", "members", "field"),
    [
        *(("PAID", {"amount": amount}, "amount") for amount in ("150.01", "0", "-1", "0.001", "NaN")),
        *(("PAID", {"reason_code": reason}, "reason_code") for reason in ("", "BECAUSE")),
        *(("PAID", {"note": note}, "note") for note in ("", "abcd ")),
        ("PAID", {"payer_statement": "x" * 2001}, "payer_statement"),
        ("PAID", {"response_due_at_0": "2020-01-01", "response_due_at_1": "10:00"}, "response_due_at"),
        *((status, {}, "payment") for status in ("PENDING", "DISPUTED")),
        *(("PAID", {"payment": odd}, "payment") for odd in ("", "pay_", "\0", "é💶", "x" * 3000, "ref_1'")),
    ],
)
def test_what_cannot_be_opened_is_told_in_the_form_and_moves_nothing(
    staff: Client, acme: Shop, status: str, members: dict[str, str], field: str
) -> None:
    payment = a_payment(acme.sandbox, "PENDING" if status == "PENDING" else "PAID")
    if status == "DISPUTED":
        refunds.dispute(acme.sandbox, payment.id, amount=100)
    before = everything()

    answer = staff.post(ADD, {"payment": payment.id, "reason_code": "FRAUD", **NOTE} | members)

    assert (answer.status_code, list(answer.context["adminform"].form.errors)) == (200, [field])
    assert everything() == before
    assert not LogEntry.objects.filter(content_type__model="refund").exists()
    button = f'href="{ADD}?payment={payment.id}"' in staff.get(address(Payment, "change", payment.pk)).content.decode()
    assert button == (status != "PENDING")


@pytest.mark.parametrize(
    ("status", "name", "ends", "blocked"),
    [
        *((status, "withdrawn", "CANCELED", []) for status in ("AWAITING_RESPONSE", "UNDER_REVIEW")),
        ("UNDER_REVIEW", "for_payer", "PROCESSING", [15000]),
        ("UNDER_REVIEW", "for_company", "REJECTED", []),
    ],
)
def test_a_decision_is_confirmed_with_a_note_and_carried_out_once(
    staff: Client, root: User, acme: Shop, status: str, name: str, ends: str, blocked: list[int]
) -> None:
    a_payment(acme.sandbox, "PAID")
    refund = a_refund(acme.sandbox, status)
    take_to_production(acme.sandbox)
    before = everything()
    assert "150.00 BRL" in staff.get(page_of(refund, name)).content.decode()
    for note in ("", "abcd", "   ab   ", "x" * 256, "with\0nul"):
        assert list(staff.post(page_of(refund, name), {"note": note}).context["form"].errors) == ["note"]
    assert everything() == before

    told = staff.post(page_of(refund, name), NOTE, follow=True).content.decode()

    refund.refresh_from_db()
    assert (refund.status, refund.note) == (ends, NOTE["note"])
    assert f"{refund.id} is {refund.get_status_display().lower()}." in told
    assert list(Hold.objects.filter(ended_at=None).values_list("amount", flat=True)) == blocked
    entry = LogEntry.objects.get(object_id=refund.id)
    assert (entry.user, entry.change_message) == (root, f"{refund.get_status_display()}: {NOTE['note']}")
    before = everything()
    assert REFUSED in staff.post(page_of(refund, name), NOTE, follow=True).content.decode()
    assert everything() == before
    assert LogEntry.objects.filter(object_id=refund.id).count() == 1


@pytest.mark.parametrize(
    ("status", "in_production", "possible"),
    [
        ("AWAITING_RESPONSE", False, ["withdrawn"]),
        ("UNDER_REVIEW", False, ["for_payer", "for_company", "withdrawn"]),
        ("PROCESSING", False, []),
        ("PROCESSING", True, ["carried_out", "declined"]),
        ("SHORT", True, ["declined"]),
        ("COMPLETED", True, []),
    ],
)
def test_what_cannot_be_decided_is_not_offered_and_moves_nothing(
    staff: Client, acme: Shop, status: str, in_production: bool, possible: list[str]
) -> None:
    if status != "SHORT":
        a_payment(acme.sandbox, "PAID")
    refund = a_refund(acme.sandbox, "PROCESSING" if status in ("SHORT", "COMPLETED") else status)
    if status == "COMPLETED":
        refunds.simulate(acme.sandbox, refund.id, "COMPLETED")
    if in_production:
        take_to_production(acme.sandbox)
    before = everything()

    assert offered(staff, refund) == possible
    for name in set(DECISIONS) - set(possible):
        assert staff.get(page_of(refund, name)).status_code == 302
        assert staff.post(page_of(refund, name), NOTE, follow=True).content.decode().count(REFUSED) == 2
    assert (everything(), LogEntry.objects.count()) == (before, 0)


def test_whoever_may_only_view_opens_and_decides_nothing(acme: Shop) -> None:
    refund = a_refund(acme.sandbox, "UNDER_REVIEW")
    other = a_payment(acme.sandbox, "PAID")
    before = everything()
    viewer, decider = staff_with("view_refund"), staff_with("view_payment", "change_refund")
    nobody = staff_with("view_payment", "view_event", "view_hold")

    assert (offered(viewer, refund), len(offered(decider, refund))) == ([], 3)
    for name in DECISIONS:
        for browser in (viewer, nobody):
            assert browser.get(page_of(refund, name)).status_code == 403
            assert browser.post(page_of(refund, name), NOTE).status_code == 403
    for browser in (viewer, decider, nobody):
        assert browser.post(ADD, {"payment": other.id, "reason_code": "FRAUD", **NOTE}).status_code == 403
        for page in ("change", "delete"):
            assert browser.post(page_of(refund, page), {"status": "COMPLETED", "post": "yes"}).status_code == 403
    assert ADD not in decider.get(address(Payment, "change", other.pk)).content.decode()
    assert nobody.get(page_of(refund)).status_code == 403
    assert everything() == before


def test_a_file_is_given_only_to_those_who_may_see_the_refund(staff: Client, client: Client, acme: Shop) -> None:
    file = Shown(file_name="proof.pdf", content_type="application/pdf", content=PDF)
    a_refund(acme.sandbox, "UNDER_REVIEW", file, Shown(url="https://acme.example/proof"))
    where = f"/admin/gateway/refund/evidence/{Evidence.objects.get(kind='FILE').pk}/"

    for browser in (staff, staff_with("view_refund")):
        given = browser.get(where)
        assert (given.status_code, given.content, given["Content-Type"]) == (200, PDF, "application/pdf")
        assert given["Content-Disposition"] == 'attachment; filename="proof.pdf"'
        assert given["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert (given["X-Content-Type-Options"], given["Cache-Control"]) == ("nosniff", "no-store")
    assert staff_with("view_payment", "view_event").get(where).status_code == 403
    owner = Client()
    owner.force_login(User.objects.create_user("owner@acme.example", PASSWORD))
    for browser in (client, owner):
        assert browser.get(where)["Location"] == f"/admin/login/?next={where}"
    assert client.get(where, headers={"Authorization": f"Bearer {acme.sandbox_key}"}).status_code == 302
    for unknown in (Evidence.objects.get(kind="URL").pk, "evd_1", "%00", "é", "x" * 300):
        assert staff.get(f"/admin/gateway/refund/evidence/{unknown}/", follow=True).status_code == 404, unknown


@pytest.mark.parametrize(
    ("name", "saved_as"),
    [
        ('a "b".pdf', 'filename="a _b_.pdf"'),
        ("a\r\nSet-Cookie: x=1\r\n.pdf", 'filename="a Set-Cookie_ x=1 .pdf"'),
        ("../../etc/passwd", 'filename="passwd.pdf"'),
        ("C:\\run.exe", 'filename="run.exe.pdf"'),
        ("recibo nº 1.pdf", "filename*=utf-8''recibo%20n%C2%BA%201.pdf"),
        ("fdp.\u202eexe.pdf", 'filename="fdp. exe.pdf"'),
        ("...", 'filename="evidence.pdf"'),
        (None, 'filename="{}.pdf"'),
    ],
)
def test_a_file_name_can_do_no_harm(staff: Client, acme: Shop, name: str | None, saved_as: str) -> None:
    a_refund(acme.sandbox, "UNDER_REVIEW", Shown(file_name=name, content_type="application/pdf", content=PDF))
    evidence = Evidence.objects.get()
    given = staff.get(f"/admin/gateway/refund/evidence/{evidence.pk}/")
    assert given["Content-Disposition"] == f"attachment; {saved_as.format(evidence.pk)}"


@pytest.mark.parametrize(
    ("name", "saved_as"),
    [("../../etc/passwd", "_.._etc_passwd.pdf"), ("C:\\run.exe", "C__run.exe.pdf"), ("...", "{}.pdf")],
)
def test_a_file_name_kept_as_it_was_sent_can_do_no_harm(staff: Client, acme: Shop, name: str, saved_as: str) -> None:
    a_refund(acme.sandbox, "UNDER_REVIEW", Shown(file_name="a.pdf", content_type="application/pdf", content=PDF))
    Evidence.objects.update(file_name=name)
    evidence = Evidence.objects.get()
    given = staff.get(f"/admin/gateway/refund/evidence/{evidence.pk}/")
    assert given["Content-Disposition"] == f'attachment; filename="{saved_as.format(evidence.pk)}"'


def test_a_real_refund_waits_for_staff_and_is_asked_about_nowhere(
    staff: Client, colleague: Client, acme: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    a_payment(acme.sandbox, "PAID")
    refund = a_refund(acme.sandbox, "PROCESSING")
    take_to_production(acme.sandbox)
    Refund.objects.update(ask_at=utcnow())

    assert (refunds_due.run_due(), refunds_due.run_due()) == (1, 0)

    assert "refund.stuck" not in capsys.readouterr().err
    refund.refresh_from_db()
    assert (refund.status, refund.ask_at) == ("PROCESSING", None)
    told = confirmed(colleague, proposed(staff, refund, "carried_out")).content.decode()
    assert f"{refund.pk} is completed." in told
