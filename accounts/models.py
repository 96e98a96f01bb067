"""Companies, their merchants (a company in one environment), people, API keys."""

from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from simple_history.models import HistoricalRecords

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.emails.models import Email as Email
from accounts.notifications.models import Notification as Notification
from accounts.permissions import PERMISSIONS
from accounts.proposals.models import Proposal as Proposal
from accounts.roles import Role
from accounts.viewing.models import StaffView as StaffView
from accounts.waits.models import WithdrawalWait as WithdrawalWait

MAX_SPREAD = Decimal(20)
LANGUAGES = [("pt-br", "Português"), ("es", "Español"), ("en", "English")]


class Environment(models.TextChoices):
    SANDBOX = "SANDBOX", "Sandbox"
    PRODUCTION = "PRODUCTION", "Production"


class Company(models.Model):
    """A legal entity that accepts money through us."""

    class Status(models.TextChoices):
        PENDING_VERIFICATION = "PENDING_VERIFICATION", "Pending verification"
        ACTIVE = "ACTIVE", "Active"
        SUSPENDED = "SUSPENDED", "Suspended"
        CLOSED = "CLOSED", "Closed"

    id = IdField("cmp", primary_key=True)
    legal_name = models.CharField(max_length=120)
    trade_name = models.CharField(max_length=120)
    tax_id = models.CharField(max_length=20, blank=True)
    tax_id_type = models.CharField(max_length=10, blank=True)
    country = models.CharField(max_length=2, default="BR", help_text="ISO 3166-1 alpha-2")
    city = models.CharField(max_length=60, default="SAO PAULO", help_text="Printed in PIX codes")
    email = models.EmailField(blank=True)
    phone = models.CharField(max_length=20, blank=True, help_text="E.164")
    status = models.CharField(max_length=24, choices=Status, default=Status.PENDING_VERIFICATION)
    verified_at = models.DateTimeField(null=True, blank=True)
    production_asked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the company requested verification"
    )
    verification_note = models.CharField(
        max_length=500, blank=True, default="", db_default="", help_text="What is missing. Visible to the company"
    )
    brand_color = models.CharField(
        max_length=7,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(r"^#[0-9a-fA-F]{6}$", "Six hexadecimal digits after #.")],
        help_text="Of the hosted card page: #0b5cb0",
    )
    withdrawal_ip = models.GenericIPAddressField(
        null=True, blank=True, help_text="The one address from which money may be withdrawn"
    )
    is_operator = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="The operator itself: a book without members and keys",
    )
    created_at = models.DateTimeField(default=utcnow, editable=False)
    updated_at = models.DateTimeField(default=utcnow, editable=False)
    history = HistoricalRecords()

    class Meta:
        verbose_name_plural = "companies"
        constraints = [
            models.UniqueConstraint(fields=["is_operator"], condition=models.Q(is_operator=True), name="one_operator"),
            models.CheckConstraint(
                name="the_operator_is_no_customer", condition=models.Q(is_operator=False) | models.Q(status="CLOSED")
            ),
        ]
        permissions = [
            ("verify_company", "Can verify a company: its production opens"),
            ("send_back_verification", "Can send a company's verification back with a note"),
            ("suspend_company", "Can suspend a company: it takes and moves no money"),
            ("lift_suspension", "Can propose and confirm that a company's suspension is lifted"),
            ("close_company", "Can propose and confirm that a company is closed for good"),
            ("change_withdrawal_address", "Can propose and confirm a company's withdrawal address"),
            ("take_live", "Can propose and confirm the terms with which a company goes live"),
            ("view_as_company", "Can look at a company's pages as the company sees them, read-only"),
        ]

    def __str__(self) -> str:
        return self.trade_name

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.updated_at = utcnow()
        super().save(*args, **kwargs)


class Cell(models.Model):
    """A schema in which merchants live, beside `public`, in which all others do."""

    name = models.CharField(max_length=9, primary_key=True, validators=[RegexValidator(cells.NAME)])
    is_open = models.BooleanField(default=True, help_text="Whether new merchants may live in it")
    created_at = models.DateTimeField(default=utcnow, editable=False)

    def __str__(self) -> str:
        return self.name


class Merchant(models.Model):
    """A company in one environment: the owner of every key, payment, wallet, endpoint and event."""

    class IntegrationMode(models.TextChoices):
        SECURE_FIELDS = "SECURE_FIELDS", "Secure fields"
        HOSTED = "HOSTED", "Hosted checkout"

    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="merchants")
    environment = models.CharField(max_length=10, choices=Environment)
    clock_offset = models.DurationField(
        default=timedelta(0), editable=False, help_text="How far the sandbox clock is ahead of the real time"
    )
    disturbed_until = models.DateTimeField(
        null=True, editable=False, help_text="Until when chaos mode disturbs the sandbox, by real time"
    )
    withdrawal_enabled = models.BooleanField(default=False)
    conversion_enabled = models.BooleanField(default=False)
    advance_enabled = models.BooleanField(default=False)
    card_tokens_enabled = models.BooleanField(default=False)
    card_integration_mode = models.CharField(
        max_length=16, choices=IntegrationMode, default=IntegrationMode.SECURE_FIELDS
    )
    card_settlement_currency = models.CharField(
        max_length=3,
        choices=[(code, code) for code in ("BRL", "MXN", "EUR", "ARS", "COP")],
        default="BRL",
        help_text="Where cards in a currency without a wallet (USD) are settled",
    )
    conversion_spread = models.DecimalField(
        "spread",
        max_digits=6,
        decimal_places=4,
        default=Decimal("1.5"),
        db_default=Decimal("1.5"),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(MAX_SPREAD)],
        help_text="Per cent that conversions and crypto withdrawals are worse than the market",
    )
    reserve_percentage = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=Decimal(0),
        db_default=Decimal(0),
        editable=False,
        help_text="Rolling reserve: per cent of the net of each payment",
    )
    reserve_days = models.SmallIntegerField(
        default=0, db_default=0, editable=False, help_text="How long the reserve is held"
    )
    cell = models.ForeignKey(Cell, on_delete=models.PROTECT, null=True, editable=False, related_name="merchants")
    moving_since = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When the last move to another cell began; empty once no process can believe the cell before",
    )
    created_at = models.DateTimeField(default=utcnow, editable=False)
    history = HistoricalRecords(excluded_fields=["cell", "clock_offset", "disturbed_until", "moving_since"])

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=models.Q(moving_since__isnull=False), name="merchants_that_move"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["company", "environment"], name="one_merchant_per_environment"),
            models.CheckConstraint(
                name="only_sandbox_clocks_move",
                condition=models.Q(environment="SANDBOX") | models.Q(clock_offset=timedelta(0)),
            ),
            models.CheckConstraint(
                name="only_the_sandbox_is_disturbed",
                condition=models.Q(environment="SANDBOX") | models.Q(disturbed_until=None),
            ),
            models.CheckConstraint(
                name="reserve_is_a_share_for_some_days",
                condition=models.Q(reserve_percentage=0)
                | models.Q(reserve_percentage__gt=0, reserve_percentage__lte=100, reserve_days__gte=1),
            ),
            models.CheckConstraint(
                name="spread_is_a_share",
                condition=models.Q(conversion_spread__gte=0, conversion_spread__lte=MAX_SPREAD),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.company} ({self.get_environment_display()})"

    @property
    def is_operational(self) -> bool:
        """Whether the company can take payments and move money: if it is active, or unverified in its sandbox."""
        status = self.company.status
        waits = status == Company.Status.PENDING_VERIFICATION and self.environment == Environment.SANDBOX
        return waits or status == Company.Status.ACTIVE

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Never updates company and environment: an UPDATE that names them would take a lock that every commit
        referring to the merchant has to wait for.
        """
        if not self._state.adding and kwargs.get("update_fields") is None:
            kwargs["update_fields"] = [
                field.name
                for field in self._meta.concrete_fields
                if not field.primary_key and field.name not in ("company", "environment")
            ]
        super().save(*args, **kwargs)


class RefusedOrigin(models.Model):
    """The last unregistered address from which a merchant's key requested a withdrawal."""

    merchant = models.OneToOneField(Merchant, on_delete=models.PROTECT, primary_key=True, related_name="refused_origin")
    address = models.GenericIPAddressField(null=True, help_text="Empty: a proxy sent something unreadable")
    times = models.IntegerField(default=1, help_text="In a row from this address")
    seen_at = models.DateTimeField(default=utcnow)

    def __str__(self) -> str:
        return str(self.address or "unreadable")


class ApiKey(models.Model):
    """A credential of a merchant's backend. The key itself is shown once and never stored."""

    id = IdField("key", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="api_keys")
    name = models.CharField(max_length=80, default="API key")
    digest = models.BinaryField(max_length=32, unique=True, editable=False, help_text="SHA-256 of the key")
    last4 = models.CharField(max_length=4, editable=False)
    permissions = ArrayField(models.CharField(max_length=40, choices=list(PERMISSIONS.items())))
    created_at = models.DateTimeField(default=utcnow, editable=False)
    created_by = models.ForeignKey(
        "accounts.User",
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        help_text="The member who issued it; empty: support, a command, or an older key",
    )
    replaces = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, editable=False, related_name="+", help_text="The key it rotated"
    )
    last_used_at = models.DateTimeField(null=True, editable=False)
    permissions_used = models.JSONField(
        default=dict, db_default={}, editable=False, help_text="The day on which each permission was last made use of"
    )
    expires_at = models.DateTimeField(
        null=True, editable=False, help_text="It was replaced by another key, and works until then"
    )
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = "API key"
        permissions = [
            ("issue_key", "Can issue API keys; propose and confirm live ones that move money"),
            ("revoke_key", "Can revoke API keys"),
        ]

    def __str__(self) -> str:
        return f"{self.name} (…{self.last4})"

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > utcnow())


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Creates a person known to the operator: the address needs no verification."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save()
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person: a member of a company, or staff."""

    username = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    language = models.CharField(
        max_length=5, blank=True, default="", db_default="", choices=LANGUAGES, help_text="Empty: the browser's"
    )
    time_zone = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="IANA name; empty: the browser's"
    )
    reporting_currency = models.CharField(
        max_length=4, blank=True, default="", db_default="", help_text="In which sales are added up; empty: in none"
    )
    seen_language = models.CharField(
        max_length=5, blank=True, default="", db_default="", editable=False, help_text="Of the pages as last read"
    )
    muted = ArrayField(
        models.CharField(max_length=16),
        default=list,
        db_default=models.Value([], output_field=ArrayField(models.CharField(max_length=16))),
        blank=True,
        help_text="Topics about which they receive no e-mail",
    )
    terms_version = models.CharField(
        max_length=20, blank=True, default="", db_default="", editable=False, help_text="Of the terms they accepted"
    )
    terms_accepted_at = models.DateTimeField(null=True, editable=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta(AbstractUser.Meta):
        permissions = [
            ("change_login", "Can propose and confirm the e-mail address with which a person signs in"),
            ("remove_second_factor", "Can propose and confirm that a person's second factor is removed"),
            ("deactivate_person", "Can propose and confirm that a person can no longer sign in, or can again"),
            ("administer_staff", "Can propose and confirm who is staff, and what kinds of staff somebody is"),
        ]

    def __str__(self) -> str:
        return self.email


class Membership(models.Model):
    """A person's role in a company."""

    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    role_since = models.DateTimeField(default=utcnow, db_default=Now(), editable=False)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["company", "user"], name="one_role_per_company")]
        permissions = [("manage_members", "Can propose and confirm who is in a company's team, and in which role")]

    def __str__(self) -> str:
        return f"{self.user} · {self.company} · {self.get_role_display().partition(':')[0]}"


class Invitation(models.Model):
    """A role offered to a person. The token is only in the e-mail; we store its digest."""

    id = IdField("inv", primary_key=True)
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role)
    digest = models.BinaryField(max_length=32, unique=True, editable=False, help_text="SHA-256 of the token")
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=utcnow, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return f"{self.email} · {self.company} · {self.get_role_display().partition(':')[0]}"

    @property
    def is_open(self) -> bool:
        return self.accepted_at is None and self.withdrawn_at is None and self.expires_at > utcnow()


class DocumentManager(models.Manager["Document"]):
    """Defers the content of files until it is needed."""

    def get_queryset(self) -> models.QuerySet["Document"]:
        return super().get_queryset().defer("content")


class Document(models.Model):
    """A file that a company uploads for verification. Only the company's owners and staff can read it."""

    class Kind(models.TextChoices):
        REGISTRATION = "REGISTRATION", "Company registration"
        IDENTITY = "IDENTITY", "Identity of the legal representative"
        ADDRESS = "ADDRESS", "Proof of address"
        BANK_ACCOUNT = "BANK_ACCOUNT", "Proof of bank account"
        OTHER = "OTHER", "Something else"

    id = IdField("doc", primary_key=True)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="documents")
    kind = models.CharField(max_length=16, choices=Kind)
    file_name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=40)
    size = models.IntegerField(help_text="Bytes")
    content = models.BinaryField(editable=False)
    handed_in_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=utcnow, editable=False)
    objects: ClassVar[DocumentManager] = DocumentManager()

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.file_name}"


class Logo(models.Model):
    """A company's logo as payers see it: a PNG that we have drawn."""

    company = models.OneToOneField(Company, on_delete=models.PROTECT, primary_key=True, related_name="+")
    name = models.CharField(max_length=32, unique=True, help_text="Of its address; says nothing about the company")
    content = models.BinaryField(editable=False)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    def __str__(self) -> str:
        return self.name


class AuditEntry(models.Model):
    """An action of a person with the values before and after. Append-only: PostgreSQL rejects changes."""

    id = IdField("aud", primary_key=True)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="+", null=True, db_index=False)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", null=True, db_index=False)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    by_staff = models.BooleanField(default=False)
    action = models.CharField(max_length=40, help_text="api_key.issued, withdrawal_ip.changed, …")
    object_id = models.CharField(max_length=254, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    note = models.CharField(max_length=500, blank=True)
    address = models.GenericIPAddressField(null=True)
    request_id = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["company", "-created_at", "-id"], name="audit_of_a_company"),
            models.Index(fields=["object_id"], name="audit_of_an_object"),
            models.Index(fields=["created_at"], name="audit_by_time"),
            models.Index(
                fields=["action", "created_at"],
                opclasses=["varchar_pattern_ops", "timestamptz_ops"],
                name="audit_by_action",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_id}".strip()


class StuckWork(models.Model):
    """Due work that failed and is postponed, each time for longer. Deleted on success."""

    kind = models.CharField(max_length=40, help_text="The kind of due work")
    object_id = models.CharField(max_length=40, db_collation="C", help_text="The row's id")
    times = models.IntegerField(default=0, help_text="Consecutive failures")
    since = models.DateTimeField()
    until = models.DateTimeField(help_text="The next attempt, in real time")
    error = models.CharField(max_length=100, help_text="The class of the last error")

    class Meta:
        verbose_name_plural = "stuck work"
        constraints = [models.UniqueConstraint(fields=["kind", "object_id"], name="stuck_once_by_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id}"


class Heartbeat(models.Model):
    """The last heartbeat of a part of the service."""

    part = models.CharField(max_length=20, primary_key=True)
    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.part
