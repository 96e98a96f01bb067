"""Cards that payers allowed a company to keep. The numbers are in the acquirers' vaults."""
