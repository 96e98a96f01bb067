"""Money out: withdrawals over the payout rails."""
