"""Payer-facing pages: checkout, the hosted card page with its fields, public receipts."""
