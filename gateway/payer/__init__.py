"""The door of payers: checkout, the hosted card page with its fields, public receipts."""
