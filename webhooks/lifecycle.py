"""The lifecycle of a delivery (contract §13.4). Read this table first."""

from enum import StrEnum

from accounts.base.lifecycle import NEW, Table, Transition
from webhooks.models import Delivery


class DeliveryAction(StrEnum):
    QUEUE = "queue"  # the endpoint is subscribed, or a redelivery was requested
    SUCCEED = "succeed"  # the endpoint accepted it
    FAIL = "fail"  # it failed, and is retried
    GIVE_UP = "give up"  # every attempt was made
    CANCEL = "cancel"  # the endpoint is gone


class DeliveryState(Exception):
    """A bug: only PENDING deliveries can change."""


when, Action, Status = Transition, DeliveryAction, Delivery.Status

DELIVERY_LIFE: Table[DeliveryAction, Delivery] = Table(
    DeliveryAction,
    Status,
    DeliveryState,
    (
        #    action          from               to
        when(Action.QUEUE,   NEW,               Status.PENDING),
        when(Action.SUCCEED, (Status.PENDING,), Status.DELIVERED),
        when(Action.FAIL,    (Status.PENDING,), Status.PENDING),
        when(Action.GIVE_UP, (Status.PENDING,), Status.FAILED),
        when(Action.CANCEL,  (Status.PENDING,), Status.CANCELED),
    ),
)  # fmt: skip

CANCELED = DELIVERY_LIFE.transition(DeliveryAction.CANCEL, Status.PENDING).target
"""The status of pending deliveries to a deleted endpoint."""
