"""Pages of what there is: the balance, why it is that, and the statement."""
