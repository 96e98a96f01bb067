"""What staff see first: how the service and the money of all companies are."""
