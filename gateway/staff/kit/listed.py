"""The table of a list whose rows cannot be selected: `admin/change_list.html` has its frame."""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin.utils import label_for_field
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.views import ChangeList

from gateway.database.reading import planned_for_values
from gateway.staff.kit.columns import address
from gateway.staff.kit.shown import shown_in


class StaffList(ChangeList):
    """Its first column links to the record. The theme draws every cell with 400 bytes of classes, from templates."""

    @planned_for_values()
    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        len(self.result_list)  # reads them

    def url_for_result(self, result: Any) -> str:
        return address(self.model, "change", getattr(result, self.pk_attname))

    @cached_property
    def titles(self) -> list[str]:
        return [str(label_for_field(name, self.model, self.model_admin)) for name in self.list_display]

    def rows(self) -> Iterator[SafeString]:
        """The cells of each record."""
        columns = [shown_in(self.model_admin, name) for name in self.list_display]
        back = f"?{self.preserved_filters}" if self.preserved_filters else ""
        for record in self.result_list:
            first, *rest = (shown(record) for shown in columns)
            yield format_html(
                '<th scope="row" data-label="{}"><a href="{}{}">{}</a></th>{}',
                self.titles[0],
                self.url_for_result(record),
                back,
                first,
                format_html_join("", '<td data-label="{}">{}</td>', zip(self.titles[1:], rest, strict=True)),
            )
