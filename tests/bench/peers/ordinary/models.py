"""The tables."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models


class Merchant(models.Model):
    name = models.CharField(max_length=100)


class ApiKey(models.Model):
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT)
    digest = models.CharField(max_length=64, unique=True)
    permissions = ArrayField(models.CharField(max_length=40))
    is_active = models.BooleanField(default=True)


class Price(models.Model):
    method = models.CharField(max_length=16)
    currency = models.CharField(max_length=3)
    percentage = models.DecimalField(max_digits=7, decimal_places=4)
    fixed = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        unique_together = [("method", "currency")]


class Customer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT)
    name = models.CharField(max_length=100)
    tax_id = models.CharField(max_length=20)
    email = models.EmailField()

    class Meta:
        unique_together = [("merchant", "tax_id")]


class Payment(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT)
    reference = models.CharField(max_length=128)
    method = models.CharField(max_length=16, choices=[("PIX", "PIX")])
    currency = models.CharField(max_length=3, choices=[("BRL", "BRL")])
    amount = models.DecimalField(max_digits=14, decimal_places=2)
    fee = models.DecimalField(max_digits=14, decimal_places=2)
    status = models.CharField(max_length=16, default="PENDING")
    pix_copy_paste = models.CharField(max_length=512)
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        unique_together = [("merchant", "reference")]
        indexes = [models.Index(fields=["merchant", "created_at"], name="ordinary_payments")]


class IdempotencyKey(models.Model):
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT)
    key = models.UUIDField()
    digest = models.CharField(max_length=64)
    status = models.SmallIntegerField(null=True)
    answer = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        unique_together = [("merchant", "key")]
