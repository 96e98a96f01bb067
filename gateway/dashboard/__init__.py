"""The web dashboard of company admins: one module per page, all of them listed in `urls.py`."""
