"""What people see when a page cannot be given: a sentence, and nothing of the inside."""

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from gateway.api.views import server_error
from gateway.serving.limits import FORM


def check(page: HttpResponse, status: int, sentence: str) -> None:
    told = page.content.decode()
    assert page.status_code == status
    assert page["Content-Type"].startswith("text/html")
    assert sentence in told
    for inside in ("Traceback", "Exception", "gateway.", "Django", "{%", "{{"):
        assert inside not in told


def test_a_page_that_does_not_exist(client: Client) -> None:
    check(client.get("/nothing/here"), 404, "There is nothing here")


def test_a_host_that_is_not_ours(client: Client) -> None:
    check(client.get("/docs", headers={"host": "evil.example"}), 400, "This request cannot be read")


def test_a_form_that_did_not_come_from_here(db: None) -> None:
    check(Client(enforce_csrf_checks=True).post("/admin/login/"), 403, "Access denied")


@pytest.mark.parametrize("page", ["/accounts/login/", "/dashboard/me", "/admin/login/"])
def test_a_body_that_no_form_has_is_not_even_read(db: None, page: str) -> None:
    length = str(FORM + 1)

    check(Client().post(page, {}, CONTENT_LENGTH=length), 413, "This is too large")


def test_a_bug_of_ours(rf: RequestFactory, caplog: pytest.LogCaptureFixture) -> None:
    check(server_error(rf.get("/docs")), 500, "Something went wrong on our side")


def test_a_page_of_the_dashboard_that_does_not_exist_is_told_in_the_reader_s_language(client: Client) -> None:
    page = client.get("/dashboard/nothing/here", headers={"accept-language": "pt-BR"})

    check(page, 404, "Não há nada aqui")
    assert 'href="/dashboard/">Voltar ao painel' in page.content.decode()
