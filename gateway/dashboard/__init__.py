"""The web dashboard of companies: one module per page, listed in `urls.py`."""
