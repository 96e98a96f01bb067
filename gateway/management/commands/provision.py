"""Onboards a company: the first step of an operator with a merchant, in sandbox and production."""

import json
from argparse import ArgumentParser
from ipaddress import ip_address
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import permissions, services
from accounts.models import Company, Merchant


class Command(BaseCommand):
    help = "Creates an active, verified company with a sandbox and a production key and its owner's login."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--company", required=True, help="the company's name")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--country", default="BR", help="ISO 3166-1 alpha-2 (BR)")
        parser.add_argument("--tax-id", default="", help="CNPJ or its equivalent")
        parser.add_argument("--email", default="", help="the owner's e-mail address")
        parser.add_argument("--withdrawal-ip", help="the only address from which the API accepts withdrawals")
        parser.add_argument("--permissions", help="comma-separated; all if omitted")
        parser.add_argument("--hosted", action="store_true", help="cards on the hosted checkout")

    def handle(self, *args: Any, **options: Any) -> None:
        granted = options["permissions"].split(",") if options["permissions"] else permissions.ALL
        company = Company(
            legal_name=options["company"],
            trade_name=options["company"],
            country=options["country"].upper(),
            tax_id=options["tax_id"],
            tax_id_type="CNPJ" if options["tax_id"] else "",
            email=options["email"].lower(),
            withdrawal_ip=self._address(options["withdrawal_ip"]),
        )
        try:
            onboarded = services.onboard(company, granted)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if options["hosted"]:
            Merchant.objects.filter(company=company).update(card_integration_mode=Merchant.IntegrationMode.HOSTED)
        self._report(onboarded, as_json=options["json"])

    def _address(self, text: str | None) -> str | None:
        try:
            return str(ip_address(text)) if text else None
        except ValueError as error:
            raise CommandError("--withdrawal-ip must be one IPv4 or IPv6 address") from error

    def _report(self, onboarded: services.Onboarded, *, as_json: bool) -> None:
        report = {
            "companyId": onboarded.company.id,
            "sandboxApiKey": onboarded.sandbox_key,
            "productionApiKey": onboarded.production_key,
            "email": onboarded.email,
            "password": onboarded.password,
        }
        if as_json:
            self.stdout.write(json.dumps(report))
            return
        for name, value in report.items():
            self.stdout.write(f"{name:>16}  {value}")
