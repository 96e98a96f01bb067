"""What comes in and what goes out."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from rest_framework import serializers

from tests.bench.peers.ordinary.models import Customer, Payment, Price


class PayerSerializer(serializers.ModelSerializer[Customer]):
    taxId = serializers.RegexField(r"^\d{11}$", source="tax_id")

    class Meta:
        model = Customer
        fields = ["name", "taxId", "email"]


class PaymentSerializer(serializers.ModelSerializer[Payment]):
    payer = PayerSerializer(source="customer")
    amount = serializers.DecimalField(max_digits=14, decimal_places=2, min_value=Decimal("0.01"))
    pixCopyPaste = serializers.CharField(source="pix_copy_paste", read_only=True)
    expiresAt = serializers.DateTimeField(source="expires_at", read_only=True)
    createdAt = serializers.DateTimeField(source="created_at", read_only=True)
    updatedAt = serializers.DateTimeField(source="updated_at", read_only=True)

    class Meta:
        model = Payment
        fields = [
            "id", "reference", "status", "method", "currency", "amount", "fee", "payer", "pixCopyPaste", "expiresAt",
            "createdAt", "updatedAt",
        ]  # fmt: skip
        read_only_fields = ["id", "status", "fee"]

    def create(self, validated_data: dict[str, Any]) -> Payment:
        merchant, payer = validated_data["merchant"], validated_data.pop("customer")
        customer, _ = Customer.objects.get_or_create(merchant=merchant, tax_id=payer.pop("tax_id"), defaults=payer)
        price = Price.objects.get(method=validated_data["method"], currency=validated_data["currency"])
        fee = validated_data["amount"] * price.percentage / 100 + price.fixed
        payment = Payment(customer=customer, expires_at=datetime.now(UTC) + timedelta(hours=24), **validated_data)
        payment.fee = fee.quantize(Decimal("0.01"), ROUND_HALF_UP)
        payment.pix_copy_paste = f"00020126580014br.gov.bcb.pix0136{payment.pk}5204000053039865802BR6304"
        payment.save(force_insert=True)
        return payment
