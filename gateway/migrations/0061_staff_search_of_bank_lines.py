"""Indexes by which staff search bank lines, disputes and money in suspense."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.contrib.postgres.search import SearchVector
from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Lower

MARKED, PLAIN = "áàâãäåéèêëíìîïóòôõöúùûüçñý", "aaaaaaeeeeiiiiooooouuuucny"


def plain_words(text, **options):
    return models.Func(Lower(text), models.Value(MARKED), models.Value(PLAIN), function="translate", **options)


NAME = plain_words(KeyTextTransform("name", "counterparty"), output_field=models.TextField())
WORDS = SearchVector(NAME, plain_words("text"), config="simple")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0060_months_in_slices")]

    operations = [
        AddIndexConcurrently(model_name="bankline", index=GinIndex(WORDS, name="bank_lines_by_words")),
        AddIndexConcurrently(
            model_name="dispute", index=models.Index(fields=["amount", "due_at"], name="disputes_by_amount")
        ),
        AddIndexConcurrently(model_name="dispute", index=models.Index(fields=["due_at"], name="disputes_by_time")),
        AddIndexConcurrently(
            model_name="suspenseitem",
            index=models.Index(fields=["amount", "received_at"], name="suspense_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="suspenseitem", index=models.Index(fields=["received_at"], name="suspense_by_time")
        ),
    ]
