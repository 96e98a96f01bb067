"""Bulk files: many withdrawals or refunds from one CSV or XLSX, each line with its own outcome."""
