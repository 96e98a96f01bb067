"""Creates a demo company with a history, using the real services on its sandbox clock."""

import json
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts import services, verification
from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.models import Company, Document, Merchant, User
from accounts.permissions import PRODUCTION_DEFAULT
from accounts.roles import Role
from accounts.selectors import find_key
from gateway.demo import money_out, payment_links
from gateway.demo.calls import be_checked, make_calls
from gateway.demo.habits import keep_views
from gateway.demo.history import Life
from gateway.local import home
from gateway.months import calendar
from gateway.months import services as months
from gateway.months.errors import MonthState
from webhooks import services as webhooks
from webhooks.models import Endpoint

NAME = "Loja Exemplo"
STAFF, COLLEAGUE = "staff@onpay.example", "colleague@onpay.example"
TEAM = (
    ("financeiro@lojaexemplo.example", Role.FINANCE),
    ("dev@lojaexemplo.example", Role.DEVELOPER),
    ("atendimento@lojaexemplo.example", Role.SUPPORT),
    ("contador@lojaexemplo.example", Role.VIEWER),
)
PAPER = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF\n"
RECEIVERS = (("/demo/hooks", "Shop"), ("/demo/hooks/broken", "Accounting (to be mended)"))


class Command(BaseCommand):
    help = "Creates the demo company once and writes its keys and logins to demo.json in the state folder."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.LOCAL:
            raise CommandError("The demo company is for a local service.")
        known = self._read()
        if known and find_key(known["sandboxApiKey"]):
            known |= self._addresses(known)
            _move_receivers()
        else:
            known = self._make()
            make_calls(known["sandboxApiKey"], known["companyId"])
            be_checked(known["sandboxApiKey"])
        home.folder().mkdir(parents=True, exist_ok=True)
        self._file().touch(mode=0o600)
        self._file().write_text(json.dumps(known, indent=2) + "\n")

    def _file(self) -> Path:
        return home.folder() / "demo.json"

    def _read(self) -> dict[str, Any]:
        try:
            return json.loads(self._file().read_text())  # type: ignore[no-any-return]
        except (OSError, ValueError):
            return {}

    def _addresses(self, known: dict[str, Any]) -> dict[str, Any]:
        """Updates URLs that depend on the service's address."""
        return {
            "baseUrl": settings.BASE_URL,
            "dashboard": known["dashboard"] | {"url": f"{settings.BASE_URL}/dashboard/"},
            "admin": known["admin"] | {"url": f"{settings.BASE_URL}/admin/"},
        }

    @transaction.atomic
    def _make(self) -> dict[str, Any]:
        company = Company(
            legal_name=f"{NAME} LTDA",
            trade_name=NAME,
            tax_id="11222333000181",
            tax_id_type="CNPJ",
            email="owner@lojaexemplo.example",
            phone="+551133334444",
            withdrawal_ip="127.0.0.1",
        )
        onboarded = services.onboard(company)
        password = secrets.token_urlsafe(12)
        User.objects.filter(email=STAFF).delete()
        User.objects.create_superuser(STAFF, password, first_name="Support")
        owner = User.objects.get(email=onboarded.email)
        colleague = _colleague()
        Life(onboarded.sandbox, colleague, owner).live(settings.DEMO_DAYS)
        payment_links.share(onboarded.sandbox, owner)
        _set_up(onboarded.sandbox)
        _close_last_month(onboarded.sandbox, owner)
        finance = User.objects.get(email=TEAM[0][0])
        money_out.leave_open_work(onboarded.sandbox, owner=owner, finance=finance)
        keep_views(onboarded.sandbox, owner, finance)
        money_out.receive_statement(colleague)
        _add_second_company(owner)
        members = User.objects.filter(memberships__company=company)
        members.update(terms_version=settings.TERMS_VERSION, terms_accepted_at=utcnow())
        made = {
            "companyId": company.id,
            "sandboxApiKey": onboarded.sandbox_key,
            "productionApiKey": onboarded.production_key,
            "dashboard": {"email": onboarded.email, "password": onboarded.password},
            "admin": {"username": STAFF, "password": password},
        }
        return made | self._addresses(made)


def _colleague() -> User:
    """The staff member of the demo data: decisions require somebody else."""
    known = User.objects.filter(email=COLLEAGUE).first()
    return known or User.objects.create_user(COLLEAGUE, is_staff=True, first_name="Colleague")


def _set_up(sandbox: Merchant) -> None:
    """Team, keys in every state, and webhook receivers, which do not receive the history."""
    for email, role in TEAM:
        services.add_member(sandbox.company, email, None, role)
    services.issue_key(sandbox, ["transactions:read", "balances:read"], "Reports")
    left_over, _ = services.issue_key(sandbox, PRODUCTION_DEFAULT, "Old shop")
    services.revoke_key(left_over)
    for path, description in RECEIVERS:
        webhooks.register(sandbox, f"{settings.BASE_URL}{path}", ["*"], description)


def _close_last_month(sandbox: Merchant, owner: User) -> None:
    """Its files are made as soon as the workers have proved the books. From now on months close by themselves."""
    with suppress(MonthState):  # the history is shorter
        months.close(sandbox, calendar.preceding(calendar.first_day(sandbox, clock.now(sandbox))), by=owner)
    readers = User.objects.filter(email__in=[email for email, role in TEAM if role in (Role.FINANCE, Role.VIEWER)])
    months.choose_readers(sandbox, set(readers.values_list("pk", flat=True)))


def _add_second_company(owner: User) -> None:
    """A second company of the same person, awaiting verification."""
    company = Company(
        legal_name="Exemplo Comercio SA de CV",
        trade_name="Exemplo México",
        tax_id="GODE561231GR8",
        tax_id_type="RFC",
        country="MX",
        city="CIUDAD DE MEXICO",
        email=owner.email,
        production_asked_at=utcnow(),
    )
    services.register(company)
    services.add_member(company, owner.email, None, Role.OWNER)
    for kind in verification.NEEDED:
        Document.objects.create(
            company=company,
            kind=kind,
            file_name=f"{kind.lower()}.pdf",
            content_type="application/pdf",
            size=len(PAPER),
            content=PAPER,
            handed_in_by=owner,
        )


def _move_receivers() -> None:
    """Updates receivers to the service's address."""
    for path, description in RECEIVERS:
        Endpoint.objects.filter(description=description).update(url=f"{settings.BASE_URL}{path}")
