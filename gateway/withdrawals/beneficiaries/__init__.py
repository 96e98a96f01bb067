"""The book of beneficiaries: accounts to which a company withdraws."""
