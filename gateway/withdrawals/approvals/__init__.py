"""Approvals of withdrawals by other people of the company than the one who asked."""
