"""The operator's own company among those of customers."""

from functools import reduce
from typing import Any

from django.http import HttpRequest


class WithoutOperator:
    """Lists and choices leave the operator out, as it is no customer. Its page is read only; its books lead there."""

    of_operator: str
    """The column that says so."""

    def get_queryset(self, request: HttpRequest) -> Any:
        found = super().get_queryset(request)  # type: ignore[misc]
        page = str(request.resolver_match and request.resolver_match.url_name)
        return found.filter(**{self.of_operator: False}) if page.endswith(("_changelist", "autocomplete")) else found

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_operator = obj is not None and obj.pk is not None and reduce(getattr, self.of_operator.split("__"), obj)
        return not is_operator and bool(super().has_change_permission(request, obj))  # type: ignore[misc]
