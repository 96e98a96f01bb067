"""The door of institutions: what they tell us comes in here."""
