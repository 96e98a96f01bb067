"""The staff admin (Django admin): one module per subject, `kit` for shared code, `overview` for the start page."""
