"""A stand-in for STP on loopback, with the members and texts of the real service's recorded answers."""
