"""Celery tasks of sales."""

from celery import shared_task

from gateway.sales.services import sum_up


@shared_task
def sum_up_sales() -> None:
    sum_up()
