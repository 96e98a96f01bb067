"""Rules that a company sets for its own withdrawals: approvals, beneficiaries and limits."""
