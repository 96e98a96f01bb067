"""The payout rails: one folder each, simulators and providers alike."""
