"""The door of support staff: the Django admin, a module a subject, `kit` for what they share, `overview` in front."""
