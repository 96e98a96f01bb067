"""Customers: the payers of a merchant, one row per person."""

from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models import Func, Value
from django.db.models.functions import Lower

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant

MARKED = "áàâãäåéèêëíìîïóòôõöúùûüçñý"
PLAIN = "aaaaaaeeeeiiiiooooouuuucny"


NAME_WORDS = SearchVector("plain_name", config="simple")
"""The words of a name, as they are indexed."""


def plain(text: str) -> str:
    """A name as it is searched for: without case and accents."""
    return text.lower().translate(str.maketrans(MARKED, PLAIN))


def plain_words(text: Any, **options: Any) -> Func:
    """The same for a column."""
    return Func(Lower(text), Value(MARKED), Value(PLAIN), function="translate", **options)


class Customer(models.Model):
    """Somebody who paid this merchant or was asked to: identified by tax id, else by e-mail (contract §5.7)."""

    id = IdField("cus", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="customers")
    name = models.CharField(max_length=120)
    plain_name = models.GeneratedField(
        expression=plain_words("name"),
        output_field=models.CharField(max_length=120),
        db_persist=True,
    )
    tax_id = models.CharField(max_length=30, null=True)
    tax_id_type = models.CharField(max_length=10, null=True)
    email = models.CharField(max_length=254, null=True, help_text="Lower case")
    phone = models.CharField(max_length=20, null=True, help_text="E.164")
    address = models.JSONField(null=True, help_text="The last one sent")
    created_at = models.DateTimeField(default=utcnow)
    updated_at = models.DateTimeField(default=utcnow)

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-created_at", "-id"], name="all_customers_of_a_merchant"),
            models.Index(fields=["merchant", "email"], name="customers_by_email"),
            GinIndex(NAME_WORDS, name="customers_by_words_of_name"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["merchant", "tax_id"], name="one_customer_per_tax_id"),
            models.UniqueConstraint(
                fields=["merchant", "email"],
                condition=models.Q(tax_id=None),
                name="one_customer_per_email_without_tax_id",
            ),
        ]

    def __str__(self) -> str:
        return self.name
