"""What was sold, declined, given back and disputed, summed up by time, method and currency."""
