"""What the pages of staff share: records, lists, forms, confirmations, the audit, files to save."""
