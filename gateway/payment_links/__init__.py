"""Payment links: an order that any payer who has its address can pay, without code (contract §5.12)."""
