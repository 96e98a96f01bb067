"""Money that goes back: by the will of the company, or at the demand of the payer."""
