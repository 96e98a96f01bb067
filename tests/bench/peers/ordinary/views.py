"""The endpoint."""

import hashlib
from typing import Any

from django.db import transaction
from rest_framework import mixins, status, viewsets
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from tests.bench.peers.ordinary.models import IdempotencyKey, Payment
from tests.bench.peers.ordinary.serializers import PaymentSerializer


class PaymentViewSet(mixins.CreateModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet[Payment]):
    serializer_class = PaymentSerializer
    permission = "payments:write"

    @transaction.atomic
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        digest = hashlib.sha256(request.body).hexdigest()
        key, is_new = IdempotencyKey.objects.get_or_create(
            merchant=request.user, key=request.headers["idempotency-key"], defaults={"digest": digest}
        )
        if not is_new:
            if key.digest != digest:
                raise ValidationError({"idempotency-key": "It was used for another request."})
            return Response(key.answer, status=key.status)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        serializer.save(merchant=request.user)
        key.status, key.answer = status.HTTP_201_CREATED, {"data": serializer.data}
        key.save(update_fields=["status", "answer"])
        return Response(key.answer, status=key.status)
