"""Shared code of the staff pages: records, lists, forms, confirmations, audit, exports."""
