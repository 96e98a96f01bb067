"""Base classes of the staff admin's pages."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, ClassVar, NamedTuple

from django.contrib import admin, messages
from django.contrib.admin.options import ShowFacets
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.paginator import InfinitePaginator

from accounts import second_factor
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals import services as proposals
from accounts.proposals.kinds import Carried, ProposalKind, Values
from accounts.step_up import Action
from gateway.staff.kit import refusals
from gateway.staff.kit.actions import in_words
from gateway.staff.kit.audited import company_ids_of
from gateway.staff.kit.columns import Title, address, link
from gateway.staff.kit.export import Exported
from gateway.staff.kit.filters import EnvironmentFilter, amount_range, company_of, day_range, selected_moment
from gateway.staff.kit.headline import Headline, headline
from gateway.staff.kit.plain_ids import PlainIds
from gateway.staff.kit.queues import Queue, QueueFilter, selected_queue
from gateway.staff.kit.readings import Reading
from gateway.staff.kit.related import Related, plural
from gateway.staff.kit.search import Ids, Meanings, SearchWords, matching
from gateway.staff.kit.trail import Trailed

FILTERS: dict[Any, Any] = {"merchant__environment": ("merchant__environment", EnvironmentFilter)}
IN_SHORT = frozenset({"amount", "gross_amount", "source_amount", "gross", "status", "state", "merchant", "environment"})
"""Columns that search results show."""
TWO_PEOPLE = _("A second staff member must confirm this before it takes effect.")


class Done(NamedTuple):
    """The result of a decision: the record, its audit action, its history text, and the message.

    `audit_action` is "" if the service has written the audit itself; otherwise `note` is the person's own words, which
    stay as they are in every language.
    """

    record: Model
    audit_action: str
    history: str
    message: str
    note: str = ""


class StaffAdmin(PlainIds, Trailed, Exported):
    """Records are loaded with relations and found by any of their ids.

    `ids`, `words` and `readings` define how a search term is read (see `gateway.staff.kit.search`); the own id is
    implied. By `amounts` and `moments`, which are indexed, lists are filtered in ranges; a day in a term is one of
    `moments`.
    `listed_at` names foreign keys on whose other end these records are listed.
    `permissions_used` are the meaningful ones: groups can be given no others.
    `queues` are parts of the list that await staff.
    """

    ids: ClassVar[Ids] = {}
    words: ClassVar[SearchWords] = {}
    readings: ClassVar[tuple[Reading, ...]] = ()
    amounts: ClassVar[tuple[str, ...]] = ()
    moments: ClassVar[tuple[str, ...]] = ()
    listed_at: ClassVar[tuple[str, ...]] = ()
    has_history: ClassVar[bool] = True
    permissions_used: ClassVar[tuple[str, ...]] = ("view", "add", "change", "delete")
    queues: ClassVar[tuple[Queue, ...]] = ()

    ordering: ClassVar[Any] = ("-pk",)
    sortable_by: ClassVar[Any] = ()  # any other order would sort whole tables
    list_per_page = 50
    paginator = InfinitePaginator  # it does not count rows
    show_full_result_count = False
    list_filter_submit = True
    list_filter_sheet = True
    show_facets = ShowFacets.NEVER
    change_form_outer_before_template = "admin/headline.html"
    change_form_outer_after_template = "admin/related.html"

    def __init__(self, model: type[Model], admin_site: Any) -> None:
        super().__init__(model, admin_site)
        ranges = [*map(amount_range, self.amounts), *map(day_range, self.moments)]
        self.ranges = [*company_of(model), *ranges] if ranges else []

    def get_search_fields(self, request: HttpRequest) -> Any:
        return ["pk", *self.words, *("" for _ in self.readings)]

    @property
    def meanings(self) -> Meanings:
        return Meanings(self.ids, self.words, self.readings, self.moments)

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (queryset.filter(matching(self.model, term, self.meanings)) if term else queryset), False

    def get_list_filter(self, request: HttpRequest) -> Any:
        queue = [QueueFilter] if self.queues else []
        declared = (FILTERS.get(one, one) for one in super().get_list_filter(request))
        return (*queue, *declared, *self.ranges)

    def get_ordering(self, request: HttpRequest) -> Any:
        queue, moment = selected_queue(request, self), selected_moment(request, self.moments)
        if queue:
            return (queue.since, "pk")
        return (f"-{moment}", "-pk") if moment else super().get_ordering(request)

    def headline(self, request: HttpRequest, record: Any) -> Headline:
        """What the page says first. Pages add why the record waits, and what happened to it."""
        return headline(self, record)

    def in_short(self, row: Any) -> str:
        """What a search result says of a record: what it is, how much, in which state, whose."""
        known = (name for name in self.list_display if getattr(name, "shows", name) in IN_SHORT)
        told = (str(self._text(name)(row) or "") for name in known)
        return ", ".join(filter(None, (str(self.opts.verbose_name), *told)))

    def related_to(self, record: Any) -> Iterable[Related]:
        """The lists below the record: models that name it in `listed_at`. A page may add more."""
        for model, page in admin.site._registry.items():
            for name in getattr(page, "listed_at", ()):
                if model._meta.get_field(name).related_model is type(record):
                    rows = model._default_manager.filter(**{name: record.pk})
                    yield Related(plural(model), rows, {f"{name}__exact": record.pk}, frozenset({name}))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        context["show_history"] = self.has_history
        if record := kwargs.get("obj"):
            context["headline"] = self.headline(request, record)
            tables = (related.table(request) for related in self.related_to(record))
            context["related"] = [table for table in tables if table]
        return super().render_change_form(request, context, *args, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return flatten_fieldsets(self.get_fieldsets(request, obj))
        return super().get_readonly_fields(request, obj)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def record(self, request: HttpRequest, object_id: str) -> Any:
        """The record of an action."""
        found = self.get_object(request, unquote(object_id))
        if found is None:
            raise Http404
        return found

    def decision(self, request: HttpRequest, record: Model | None, title: Title, **context: Any) -> HttpResponse:
        """Asks for confirmation of an action and reports its result. Without a record it concerns all."""
        everywhere = self.admin_site.each_context(request)
        here = {"opts": self.model._meta, "original": record, "record": record and link(record), "title": title}
        return TemplateResponse(request, "admin/decision.html", {**everywhere, **here, **context})

    def carry_out(
        self, request: HttpRequest, record: Model, act: Callable[[], Done | str], *, alone: bool = False
    ) -> HttpResponse:
        """Carries a decision out in one transaction, records it and reports the result.

        A string in place of a `Done` says why nothing was done. `alone`: it manages its own transactions.
        """
        second_factor.require(request, lambda: in_words(self, request, self._title_of_action(request), record))
        self.remember(request, record)
        try:
            proposals.require_uninvolved(request.user, company_ids_of(record))  # type: ignore[arg-type]
            with nullcontext() if alone else transaction.atomic():
                done = act()
                if isinstance(done, Done):
                    self.log_action(request, done.record, done.audit_action, done.history, done.note)
        except Refusal as refusal:
            return self.refused(request, record, refusal)
        if isinstance(done, Done):
            self.message_user(request, done.message, messages.SUCCESS)
        else:
            self.message_user(request, done, messages.ERROR)
        return HttpResponseRedirect(address(self.model, "change", record.pk))

    def put(
        self, request: HttpRequest, record: Model, kind: ProposalKind, values: Values, note: str, object_id: str = ""
    ) -> HttpResponse:
        """Proposes a decision to a second person, or carries it out if one is enough."""
        about = object_id or str(record.pk)

        def describe() -> Action:
            return in_words(self, request, kind.title, record, more=proposals.in_words(kind, about, values))

        try:
            second_factor.require(request, describe)
            with transaction.atomic():
                done = proposals.put(request, kind, about, values, note)
                if isinstance(done, Carried):
                    return self.carried(request, done, f"{kind.title_in_audit}: {note}")
                self.log_action(request, record, "", f"Proposed: {kind.title_in_audit}: {note}")
        except Refusal as refusal:
            return self.refused(request, record, refusal)
        proposed = gettext("%(title)s: proposed.") % {"title": kind.title}
        self.message_user(request, f"{proposed} {TWO_PEOPLE}", messages.SUCCESS)
        return HttpResponseRedirect(address(Proposal, "change", done.pk))

    def carried(self, request: HttpRequest, done: Carried, history: str) -> HttpResponse:
        """Writes the history and returns to the record; a secret is in this one response only."""
        if history:
            self.log_action(request, done.record, "", history)
        if done.secret:
            return self.decision(request, done.record, done.message, secret=done.secret)
        self.message_user(request, done.message, messages.SUCCESS)
        return HttpResponseRedirect(address(type(done.record), "change", done.record.pk))

    def _title_of_action(self, request: HttpRequest) -> str:
        """The title of its button."""
        name = request.path.rstrip("/").rpartition("/")[2]
        return str(getattr(getattr(self, name, None), "short_description", gettext("Carry out a decision")))

    def refused(self, request: HttpRequest, record: Model, refusal: Refusal) -> HttpResponse:
        """Back to the record, with the reason."""
        told = refusals.sentences(refusal)
        way_on = self.way_on(request, record, refusal)
        self.message_user(
            request, format_html_join(" ", "{}", ([part] for part in (*told, way_on) if part)), messages.ERROR
        )
        return HttpResponseRedirect(address(self.model, "change", record.pk))

    def way_on(self, request: HttpRequest, record: Any, refusal: Refusal) -> SafeString | str:
        """A link to what can be done instead; "" if there is none."""
        return ""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        if any("\0" in value for _, values in request.GET.lists() for value in values):
            return HttpResponseRedirect(request.path)
        queue = selected_queue(request, self)
        return super().changelist_view(request, (extra_context or {}) | ({"title": queue.title} if queue else {}))


class ReadOnlyAdmin(StaffAdmin):
    """Records that nobody edits: only services write them."""

    actions = None
    has_history = False
    permissions_used: ClassVar[tuple[str, ...]] = ("view",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class EnteredAdmin(ReadOnlyAdmin):
    """Records that staff create through a service, with `add_fieldsets`, and never edit.

    `form.refused` is the service's refusal of the submitted form.
    """

    has_history = True
    add_fieldsets: ClassVar[Any]
    add_title: ClassVar[Title]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(f"{self.opts.app_label}.add_{self.opts.model_name}")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return super().get_fieldsets(request, obj) if obj else self.add_fieldsets

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        form.refused = getattr(request, "refused", None)
        return form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> Any:
        shown = {"title": self.add_title, "show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**shown, **(extra_context or {})})

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Shows the service's refusal in the submitted form; its transaction is rolled back."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except Refusal as refusal:
            request.refused = refusal  # type: ignore[attr-defined]
            return super().changeform_view(request, *args, **kwargs)
