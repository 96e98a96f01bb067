"""Pages of records that staff change: companies, merchants, rules."""

from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from simple_history.admin import SimpleHistoryAdmin

from accounts import notices
from accounts.models import Company, Environment
from gateway.staff.kit.audited import company_ids_of
from gateway.staff.kit.columns import EMPTY
from gateway.staff.kit.pages import StaffAdmin


class RecordedAdmin(SimpleHistoryAdmin, StaffAdmin):
    """Editable records with history. Old states are read-only and cannot be restored."""

    def revert_disabled(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        reads_the_past = str(request.resolver_match and request.resolver_match.url_name).endswith("_simple_history")
        return not reads_the_past and bool(super().has_change_permission(request, obj))

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        if not self._is_a_key(unquote(object_id)):
            raise Http404
        return super().history_view(request, object_id, extra_context)

    def history_view_title(self, request: HttpRequest, obj: Any) -> str:
        return gettext("History of %(record)s") % {"record": obj}

    def set_history_delta_changes(self, request: HttpRequest, historical_records: Any, **options: Any) -> None:
        """Also says nothing where nobody gave a reason."""
        super().set_history_delta_changes(request, historical_records, **options)
        for record in historical_records:
            record.history_change_reason = record.history_change_reason or EMPTY

    def history_form_view(
        self, request: HttpRequest, object_id: str, version_id: str, extra_context: Any = None
    ) -> Any:
        if request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        if not (self._is_a_key(object_id) and version_id.isdecimal()):
            raise Http404
        return super().history_form_view(request, object_id, version_id, extra_context)

    def _is_a_key(self, text: str) -> bool:
        try:
            self.model._meta.pk.to_python(text)
        except ValidationError:
            return False
        return "\0" not in text

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field:
            field.show_hidden_initial = True  # separates this person's changes from concurrent ones
        return field

    def save(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            self.save_new(obj)
            notify_owners(obj, [self.opts.verbose_name])
            return
        current = self.merged(obj, form)
        self.save_changed(current, form.changed_data)
        notify_owners(current, [form.fields[name].label or name for name in form.changed_data])

    def merged(self, obj: Any, form: Any) -> Any:
        """The current record, locked, with the person's changes applied."""
        current = self.model._base_manager.select_for_update(no_key=True).get(pk=obj.pk)
        for name in form.changed_data:
            setattr(current, name, getattr(obj, name))
        return current

    def save_new(self, record: Any) -> None:
        record.save()

    def save_changed(self, record: Any, names: list[str]) -> None:
        """Saves the changed fields onto the current record, which is locked."""
        record.save()


def notify_owners(record: Any, changed: list[str | Promise]) -> None:
    """E-mails the owners of the company whose settings these are, unless they apply to the sandbox only."""
    environment = getattr(record, "environment", Environment.PRODUCTION)
    if not changed or environment == Environment.SANDBOX:
        return
    for company in Company.objects.filter(pk__in=company_ids_of(record)):
        subject, about = (
            _("support changed your settings"),
            format_lazy(f"{{}}: {', '.join(['{}'] * len(changed))}", record, *changed),
        )
        notices.notify_owners(company, subject, "by_support", "settings", what="settings", about=about)
