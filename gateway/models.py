"""The models of all rooms of the product: Django finds them only here."""

from gateway.boletos.models import RegistrationFile, SlipInstruction, SlipLine
from gateway.bulk.models import BulkFile, BulkLine, FileDecision, LineDecision
from gateway.chaos.models import ChaosRun, DisturbedRequest
from gateway.conversions.models import Conversion
from gateway.customers.models import Customer
from gateway.dashboard.models import SavedView
from gateway.evidence.models import AutomaticEvidence, PayerOrigin
from gateway.methods.card.models import CardToken
from gateway.methods.models import MethodRule, PriceRule
from gateway.months.models import Month, MonthFile, MonthFilePart, MonthPiece, MonthPlan
from gateway.payment_links.models import PaymentLink
from gateway.payments.models import Payment, SingleApproval, SingleApprovalLimit
from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule
from gateway.payouts.models import PayoutRule
from gateway.providers.models import LostOrder, ProviderAccount, ProviderMessage, ProviderRoute
from gateway.providers.numbers import IssuedNumber
from gateway.readiness.models import ReadinessCheck, ReportedRelease
from gateway.reconciliation.models import (
    BankAccount,
    BankLine,
    BankStatement,
    CollectionCredit,
    ImportedFile,
    LinePart,
)
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.models import Draft, DraftEvidence, Evidence, Refund, Response
from gateway.reports.models import ScheduledReport
from gateway.requests.models import ApiRequest, IdempotencyKey
from gateway.sales.models import SalesChange, SalesDay, SalesSum
from gateway.saved_cards.models import AcquirerToken, SavedCard
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine, SettlementReport
from gateway.slips.models import Slip
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.approvals.models import Approval
from gateway.withdrawals.beneficiaries.models import Beneficiary
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.rules.models import WithdrawalRules

__all__ = [
    "AcquirerToken",
    "ApiRequest",
    "Approval",
    "AutomaticEvidence",
    "BankAccount",
    "BankLine",
    "BankStatement",
    "BatchAnswer",
    "BatchOrder",
    "Beneficiary",
    "BulkFile",
    "BulkLine",
    "CardToken",
    "ChaosRun",
    "CollectionCredit",
    "Conversion",
    "Customer",
    "Dispute",
    "DisturbedRequest",
    "Draft",
    "DraftEvidence",
    "Evidence",
    "FileDecision",
    "IdempotencyKey",
    "ImportedFile",
    "IssuedNumber",
    "LineDecision",
    "LinePart",
    "LostOrder",
    "MethodRule",
    "Month",
    "MonthFile",
    "MonthFilePart",
    "MonthPiece",
    "MonthPlan",
    "PayerOrigin",
    "Payment",
    "PaymentLink",
    "PayoutBatch",
    "PayoutRule",
    "PayoutRun",
    "PayoutSchedule",
    "PriceRule",
    "ProviderAccount",
    "ProviderMessage",
    "ProviderRoute",
    "ReadinessCheck",
    "Refund",
    "RegistrationFile",
    "ReportedRelease",
    "Response",
    "SalesChange",
    "SalesDay",
    "SalesSum",
    "SavedCard",
    "SavedView",
    "ScheduledReport",
    "SettlementDay",
    "SettlementDifference",
    "SettlementLine",
    "SettlementReport",
    "SingleApproval",
    "SingleApprovalLimit",
    "Slip",
    "SlipInstruction",
    "SlipLine",
    "SuspenseItem",
    "Withdrawal",
    "WithdrawalRules",
]
