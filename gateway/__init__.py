"""The project (its files) and the product (its folders)."""

from gateway.celery import app as celery_app

__all__ = ["celery_app"]
