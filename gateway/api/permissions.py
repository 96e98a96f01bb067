"""Permissions of keys: every operation names one (contract §2.6)."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.services import note_permission
from gateway.api.errors import PermissionMissing


class HasPermission(BasePermission):
    """Denies unless the operation names a permission and the key has it."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = view.operation.permission
        if needed not in request.auth.permissions:  # type: ignore[union-attr]
            raise PermissionMissing(field=needed)
        note_permission(request.auth, needed)  # type: ignore[arg-type]
        return True
