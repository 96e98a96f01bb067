"""International English: unambiguous dates."""
