"""The request log: requests of merchants' backends, and the responses."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex, GinIndex
from django.db import models

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import ApiKey, Merchant


class ApiRequest(models.Model):
    """A call with a valid key and its response, redacted. Written afterwards: the last second may be missing.

    Merchants and keys are never deleted, and rows are inserted in bulk: no foreign key checks are needed.
    """

    id = IdField("req", primary_key=True)
    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    api_key = models.ForeignKey(ApiKey, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    method = models.CharField(max_length=8)
    path = models.CharField(max_length=255)
    query = models.CharField(max_length=2048, blank=True)
    status = models.SmallIntegerField()
    code = models.CharField(max_length=80, null=True, help_text="onpayCode of the answer; a document has none")
    elapsed_ms = models.FloatField()
    origin = models.GenericIPAddressField(null=True, help_text="Empty: a proxy sent something unreadable")
    user_agent = models.CharField(max_length=255, blank=True)
    idempotency_key = models.UUIDField(null=True)
    is_replay = models.BooleanField(default=False, help_text="Answered with what the key was answered before")
    objects_named = ArrayField(
        models.CharField(max_length=40), default=list, help_text="Ids of what it made or was about, that first"
    )
    request_body = models.TextField(null=True)
    response_body = models.TextField(null=True)
    created_at = models.DateTimeField(default=utcnow, help_text="When it came in")

    class Meta:
        verbose_name = "API request"
        indexes = [
            models.Index(fields=["merchant", "-created_at", "-id"], name="requests_of_a_merchant"),
            models.Index(
                fields=["merchant", "-created_at"], name="requests_refused", condition=models.Q(status__gte=400)
            ),
            GinIndex(fields=["objects_named"], name="requests_of_an_object"),
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def object_id(self) -> str | None:
        """The object it created, or else concerned."""
        return self.objects_named[0] if self.objects_named else None


class IdempotencyKey(models.Model):
    """The outcome of a request that started to act: the response of that key for 30 days (contract §2.7)."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    key = models.UUIDField()
    fingerprint = models.BinaryField(max_length=32, help_text="SHA-256 of method, path and canonical body")
    members = models.TextField(null=True, editable=False, help_text="Digests of the members of the body")
    method = models.CharField(max_length=6)
    path = models.CharField(max_length=255)
    status = models.SmallIntegerField(null=True)
    sealed_body = models.BinaryField(null=True, editable=False)
    resource_id = models.CharField(
        max_length=40, null=True, help_text="What the request began and did not finish: a repetition resumes it"
    )
    leased_until = models.DateTimeField(null=True, help_text="Until when somebody is at work on it")
    request_id = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=utcnow)

    class Meta:
        indexes = [BrinIndex(fields=["created_at"], name="old_idempotency_keys")]
        constraints = [models.UniqueConstraint(fields=["merchant", "key"], name="one_use_of_a_key")]

    def __str__(self) -> str:
        return str(self.key)
