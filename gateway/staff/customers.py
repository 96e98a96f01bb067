"""Customers for staff."""

from django.contrib import admin

from accounts.tax_ids import compact
from gateway.customers.models import Customer
from gateway.staff.kit.columns import OF_MERCHANT, moment, pretty, related
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.kit.readings import exactly, payer


@admin.register(Customer)
class CustomerAdmin(ReadOnlyAdmin):
    ids = {"cmp": "merchant__company", "pay": "payments"}
    readings = (exactly(tax_id=compact), exactly(email=str.lower), payer("pk"))
    search_help_text = "Name, tax id or e-mail, or customer, company or payment id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = ("id", "name", "tax_id", "email", *OF_MERCHANT, moment("created_at"))
    list_filter = ("merchant__environment",)
    fieldsets = (
        (None, {"fields": ("id", related("merchant"), "name")}),
        ("Matched by", {"fields": (("tax_id", "tax_id_type"), "email")}),
        ("Contact", {"fields": ("phone", pretty("address"))}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("updated_at")),)}),
    )
