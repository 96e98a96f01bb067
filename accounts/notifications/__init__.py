"""The notification centre: what each member of a company was told, as long as it is kept."""
