"""English as it is read outside the United States: no date can be taken for another one."""
