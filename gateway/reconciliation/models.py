"""Bank accounts of ours, files of banks, statements and their lines. Only real money; all times in real time."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KT

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.bank_files.shapes import Remark
from gateway.customers.models import plain_words
from gateway.providers.models import ProviderAccount
from ledger.chart import AccountKind
from ledger.money import DECIMALS

CURRENCIES = [(code, code) for code in DECIMALS]
CODE = r"[A-Z0-9][A-Z0-9-]{1,15}"


class BankAccount(models.Model):
    """A bank account of ours. `code` names it in the ledger permanently. Two people enter and change it.

    `numbers` are members of `gateway.bank_files.shapes.Party`, as files of the bank name the account.
    """

    id = IdField("bnk", primary_key=True)
    code = models.CharField(
        max_length=16, unique=True, validators=[RegexValidator(f"^{CODE}$")], help_text="Such as ITAU-BRL-1"
    )
    title = models.CharField(max_length=80)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    owner = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, related_name="+", help_text="Whose book takes what no company explains"
    )
    numbers = models.JSONField(default=dict, help_text="Bank, branch, account, IBAN, CLABE or CBU")
    provider_accounts = models.ManyToManyField(
        ProviderAccount, related_name="bank_accounts", blank=True, help_text="Whose money it receives or pays"
    )
    fee_codes = ArrayField(
        models.CharField(max_length=20), default=list, blank=True, help_text="Codes of lines that are fees of the bank"
    )
    fee_texts = ArrayField(
        models.CharField(max_length=60), default=list, blank=True, help_text="Texts that lines with fees begin with"
    )
    mapping = models.JSONField(null=True, blank=True, help_text="What the columns of its CSV files are")
    is_closed = models.BooleanField(default=False, help_text="No statement is expected any more")
    missing_since = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a statement was found to be missing"
    )
    created_at = models.DateTimeField(default=utcnow, editable=False)
    updated_at = models.DateTimeField(default=utcnow, editable=False)

    def __str__(self) -> str:
        return f"{self.code} · {self.title}"


class ImportedFile(models.Model):
    """A file of a bank. An uploaded one changes nothing until a second person has confirmed it.

    It takes effect as a whole, in one transaction, or not at all.
    """

    class State(models.TextChoices):
        UPLOADED = "UPLOADED", "Waits for a second person"
        WAITING = "WAITING", "Waits to take effect"
        TAKEN = "TAKEN", "Has taken effect"
        REFUSED = "REFUSED", "Refused: nothing took effect"

    id = IdField("bkf", primary_key=True)
    account = models.ForeignKey(BankAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    name = models.CharField(max_length=120)
    digest = models.CharField(max_length=64, help_text="SHA-256")
    size = models.IntegerField(help_text="Bytes")
    sealed_content = models.BinaryField(editable=False)
    format = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=10, choices=State)
    cause = models.CharField(max_length=20, blank=True, default="", help_text="Why it was refused")
    remarks = models.JSONField(
        default=list, db_default=[], blank=True, help_text="What is wrong: sentences and the facts that they name"
    )
    failure = models.CharField(max_length=255, blank=True, default="", help_text="The note of who turned it down")
    failed_line = models.IntegerField(default=0, help_text="Of the file; 0: the whole file")
    cleared_at = models.DateTimeField(null=True, blank=True, help_text="When staff had dealt with its refusal")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text="Empty: fetched from the bank",
    )
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it takes effect")
    taken_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        verbose_name_plural = "files of banks"
        constraints = [
            models.UniqueConstraint(
                fields=["account", "digest"], condition=~Q(state="REFUSED"), name="one_file_of_a_content"
            ),
        ]
        indexes = [models.Index(fields=["due_at"], name="files_to_take", condition=Q(due_at__isnull=False))]

    def __str__(self) -> str:
        return self.name

    @property
    def reason(self) -> str:
        """Why it was refused, in the reader's language; a note as it was written."""
        return " ".join(str(Remark(**one)) for one in self.remarks) or self.failure


class BankStatement(models.Model):
    """A statement, in the order of the account's: each begins with the balance with which the one before ended."""

    id = IdField("bst", primary_key=True)
    account = models.ForeignKey(BankAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    file = models.ForeignKey(ImportedFile, on_delete=models.PROTECT, related_name="+")
    position = models.IntegerField(help_text="1, 2, 3 … of the account")
    number = models.CharField(max_length=40, blank=True, help_text="The bank's own")
    digest = models.CharField(max_length=64, help_text="SHA-256 of what it says")
    opened_on = models.DateField()
    closed_on = models.DateField()
    opening = models.BigIntegerField(help_text="Minor units")
    closing = models.BigIntegerField(help_text="Minor units")
    lines = models.IntegerField()
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "position"], name="statements_without_gaps"),
            models.UniqueConstraint(fields=["account", "digest"], name="one_statement_of_a_content"),
        ]

    def __str__(self) -> str:
        return f"{self.closed_on} · {self.number or self.position}"


class LineKind(models.TextChoices):
    """What a part of a line is."""

    WITHDRAWAL = "WITHDRAWAL", "Withdrawal"
    WITHDRAWAL_BACK = "WITHDRAWAL_BACK", "Withdrawal that came back"
    PAYMENT = "PAYMENT", "Payment"
    REFUND = "REFUND", "Refund"
    SUSPENSE = "SUSPENSE", "Money in suspense at a provider account"
    SUSPENSE_BACK = "SUSPENSE_BACK", "Return of money in suspense"
    ACQUIRER = "ACQUIRER", "Payout of an acquirer"
    TRANSFER = "TRANSFER", "Transfer between our bank accounts"
    BANK_FEE = "BANK_FEE", "Fee of the bank"
    COMPANY = "COMPANY", "Credited to or taken from a company"
    RESULT = "RESULT", "Gain or loss of the operator"
    OPENING = "OPENING", "Balance of the first statement"


ONCE = (
    LineKind.WITHDRAWAL,
    LineKind.WITHDRAWAL_BACK,
    LineKind.PAYMENT,
    LineKind.REFUND,
    LineKind.SUSPENSE,
    LineKind.SUSPENSE_BACK,
)
"""Kinds of which one part at a time explains an object."""


LINE_WORDS = SearchVector(
    plain_words(KT("counterparty__name"), output_field=models.TextField()), plain_words("text"), config="simple"
)
"""The words of the other side's name and of the text, as they are indexed."""


class BankLine(models.Model):
    """A line of a statement: + received, - left. Minor units.

    Once it is matched its whole amount is posted: as its parts, or in suspense. A line and its reversal are posted as
    nothing.
    """

    class State(models.TextChoices):
        WAITING = "WAITING", "Waits to be matched"
        UNNAMED = "UNNAMED", "Names nothing: waits for what the others leave"
        EXPLAINED = "EXPLAINED", "Explained"
        SUSPENSE = "SUSPENSE", "In suspense"
        REVERSED = "REVERSED", "Cancelled: reversed, or a reversal"

    id = IdField("bln", primary_key=True)
    account = models.ForeignKey(BankAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    statement = models.ForeignKey(BankStatement, on_delete=models.PROTECT, related_name="+", db_index=False)
    position = models.IntegerField(help_text="1, 2, 3 … of the statement")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    kind = models.CharField(max_length=16, choices=LineKind, blank=True, help_text="Of its parts")
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    booked_on = models.DateField()
    reference = models.CharField(max_length=80, blank=True, help_text="The bank's id of the movement")
    order_number = models.CharField(max_length=40, blank=True, help_text="Our own number of an order")
    end_to_end_id = models.CharField(max_length=40, blank=True)
    code = models.CharField(max_length=20, blank=True, help_text="The bank's kind of movement")
    text = models.CharField(max_length=500, blank=True)
    counterparty = models.JSONField(null=True, blank=True)
    is_reversal = models.BooleanField(default=False)
    reverses = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="reversed_by", help_text="The line"
    )
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be matched")
    matched_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["statement", "position"], name="one_line_of_a_position"),
            models.CheckConstraint(name="lines_move_money", condition=~Q(amount=0)),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="bank_lines_to_match", condition=Q(due_at__isnull=False)),
            models.Index(fields=["account", "booked_on"], name="lines_of_a_bank_account"),
            models.Index(fields=["amount", "booked_on"], name="bank_lines_by_amount"),
            models.Index(fields=["booked_on"], name="bank_lines_by_day"),
            models.Index(fields=["reference"], name="bank_lines_by_reference", condition=~Q(reference="")),
            models.Index(fields=["end_to_end_id"], name="bank_lines_by_e2e", condition=~Q(end_to_end_id="")),
            models.Index(fields=["order_number"], name="bank_lines_by_order", condition=~Q(order_number="")),
            GinIndex(LINE_WORDS, name="bank_lines_by_words"),
        ]

    def __str__(self) -> str:
        return f"{self.booked_on} · {self.text or self.reference or self.position}"[:80]


class LinePart(models.Model):
    """What explains a line, or a part of it: posted between BANK of the account and `other` in the book of `merchant`.

    `posting` is the reference of the transfer, which may post many parts of one file at once. `undone_by` is the
    reference of the transfer that took it back.
    """

    id = IdField("bpt", primary_key=True)
    account = models.ForeignKey(BankAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    line = models.ForeignKey(BankLine, on_delete=models.PROTECT, null=True, blank=True, related_name="parts")
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=16, choices=LineKind)
    object_id = models.CharField(max_length=80, blank=True, help_text="What it is: our id, or an acquirer's payout")
    amount = models.BigIntegerField(help_text="Minor units; + received, - left")
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    other = models.CharField(max_length=16, choices=AccountKind, help_text="The account on the other side")
    other_method = models.CharField(max_length=16, blank=True)
    posting = models.CharField(max_length=40)
    undone_by = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["object_id", "kind"],
                condition=Q(undone_by="", kind__in=ONCE) & ~Q(object_id=""),
                name="explained_once",
            ),
            models.CheckConstraint(name="parts_move_money", condition=~Q(amount=0)),
        ]
        indexes = [
            models.Index(fields=["account", "merchant"], name="parts_of_a_bank_account"),
            models.Index(fields=["posting"], name="parts_of_a_posting"),
            models.Index(fields=["object_id"], name="parts_by_object"),
            models.Index(fields=["amount"], name="parts_of_transfers", condition=Q(kind=LineKind.TRANSFER)),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.object_id}".strip()


class CollectionCredit(models.Model):
    """Money for a boleto that a collection return tells of. A bank credits that of a day in one sum."""

    id = IdField("bcc", primary_key=True)
    account = models.ForeignKey(BankAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    file = models.ForeignKey(ImportedFile, on_delete=models.PROTECT, related_name="+")
    object_id = models.CharField(max_length=40, help_text="The payment that it has paid, or the money in suspense")
    paid = models.BigIntegerField(help_text="Minor units")
    credited = models.BigIntegerField(help_text="What the bank credits; the rest is its fee")
    credited_on = models.DateField()
    line = models.ForeignKey(
        BankLine, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "object_id"], name="one_credit_of_a_boleto"),
            models.CheckConstraint(name="credits_are_amounts", condition=Q(paid__gt=0, credited__gt=0)),
        ]
        indexes = [
            models.Index(fields=["account", "credited_on"], name="credits_to_come", condition=Q(line__isnull=True))
        ]

    def __str__(self) -> str:
        return f"{self.credited_on} · {self.object_id}"
