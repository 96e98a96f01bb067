"""The views of /docs: guides, pages made from the code, the search, and the same as plain text."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, re_path
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from accounts.base.errors import Refusal, catalogue
from accounts.base.wire import dumps
from gateway.api.errors import MethodNotAllowed, response_for
from gateway.api.openapi.document import document
from gateway.api.reference import agents, changelog, error_samples, event_samples
from gateway.api.reference.collection import collection
from gateway.api.reference.guides import guide
from gateway.api.reference.libraries import offered
from gateway.api.reference.reproductions import EXPLAINED
from gateway.api.reference.search import search as found_for
from gateway.api.reference.shell import script
from gateway.api.reference.site import CHAPTERS, GENERATED, GUIDES, HOME, LANGUAGES, SEARCH, address
from gateway.content_policy import INLINE_STYLES
from gateway.methods.registry import codes_of
from webhooks.kinds import KINDS

LONGEST_QUERY = 200
MARKDOWN = "text/markdown; charset=utf-8"


@cache
def _document() -> bytes:
    return dumps(document())


@cache
def _collection() -> bytes:
    return dumps(collection())


def schema(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document; readable without a key."""
    if request.method not in ("GET", "HEAD"):
        response = response_for(MethodNotAllowed(), request)
        response["Allow"] = "GET, HEAD"
        return response
    return HttpResponse(_document(), content_type="application/json")


@require_safe
def guide_page(request: HttpRequest, page: str, language: str) -> HttpResponse:
    """A guide in a language."""
    found = guide(page, language)
    return _shown(
        request, "docs/guide.html", page, language, guide=found, contents=[s for s in found.sections if s.anchor]
    )


@require_safe
def guide_text(request: HttpRequest, page: str, language: str) -> HttpResponse:
    """The same as Markdown, for readers that are programs."""
    return HttpResponse(guide(page, language).markdown, content_type=MARKDOWN)


@require_safe
def reference(request: HttpRequest, page: str, language: str) -> HttpResponse:
    """The interactive reference, served whole from here."""
    response = _shown(request, "docs/reference.html", page, language)
    response._csp_update = INLINE_STYLES  # type: ignore[attr-defined]
    return response


@require_safe
def library(request: HttpRequest, name: str) -> FileResponse:
    """One package, as a file."""
    for package in offered():
        if package.name == name:
            kind = "application/zip" if name.endswith(".whl") else "application/gzip"
            return FileResponse(package.path.open("rb"), as_attachment=True, filename=name, content_type=kind)
    raise Http404


@require_safe
def errors(request: HttpRequest, page: str, language: str, form: str = "html") -> HttpResponse:
    """Every error code explained; the target of `docUrl`."""
    of_the_api, of_pages = _error_classes()
    links = {"retries": address("retries", language), "sandbox": address("sandbox", language)}
    return _shown(request, f"docs/errors.{form}", page, language, classes=of_the_api, of_pages=of_pages, **links)


@require_safe
def events(request: HttpRequest, page: str, language: str, form: str = "html") -> HttpResponse:
    """Every event type, with a delivery of it."""
    with translation.override(language):
        kinds = [(kind, translation.gettext(when), event_samples.of(kind)) for kind, when in KINDS.items()]
    return _shown(request, f"docs/events.{form}", page, language, kinds=kinds)


@require_safe
def changes(request: HttpRequest, page: str, language: str) -> HttpResponse:
    """What merchants notice of each version."""
    return _shown(request, "docs/changelog.html", page, language, releases=changelog.releases())


@require_safe
def changes_feed(request: HttpRequest) -> HttpResponse:
    """The same as an Atom feed."""
    return HttpResponse(changelog.feed(), content_type="application/atom+xml; charset=utf-8")


@require_safe
def search(request: HttpRequest, language: str) -> HttpResponse:
    """The best places for a query; nothing for none."""
    query = request.GET.get("q", "")[:LONGEST_QUERY].strip()
    return _shown(request, "docs/search.html", SEARCH, language, query=query, hits=found_for(query, language))


@require_safe
def llms(request: HttpRequest, whole: bool) -> HttpResponse:
    """The site for language models: a list of its pages, or all guides in one text. https://llmstxt.org"""
    return HttpResponse(agents.everything() if whole else agents.contents(), content_type="text/plain; charset=utf-8")


@require_safe
def postman(request: HttpRequest) -> HttpResponse:
    """Every operation as a collection, to be tried by hand."""
    response = HttpResponse(_collection(), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="onpay.postman_collection.json"'
    return response


def _shown(request: HttpRequest, template: str, page: str, language: str, **facts: Any) -> HttpResponse:
    with translation.override(language):
        kind = MARKDOWN if template.endswith(".md") else None
        return render(request, template, _frame(page, language) | facts, content_type=kind)


def _frame(page: str, language: str) -> dict[str, Any]:
    """What surrounds every page: the list of pages, the languages, the pages before and after."""
    listed = [one for chapter in CHAPTERS for one in chapter.pages]
    at = listed.index(page) if page in listed else None
    chapters = [(chapter.title, [_link(one, language) for one in chapter.pages]) for chapter in CHAPTERS]
    return {
        "page": page,
        "title": _title(page, language),
        "language": language,
        "anywhere": address(page, None),
        "languages": [(code, name, address(page, code)) for code, (name, _prefix) in LANGUAGES.items()],
        "home": address(HOME, language),
        "searched_at": address(SEARCH, language),
        "chapters": chapters,
        "before": _link(listed[at - 1], language) if at else None,
        "after": _link(listed[at + 1], language) if at is not None and at + 1 < len(listed) else None,
    }


def _link(page: str, language: str) -> dict[str, Any]:
    return {"page": page, "title": _title(page, language), "address": address(page, language)}


def _title(page: str, language: str) -> str | Promise:
    return guide(page, language).title if page in GUIDES else GENERATED[page]


_TITLES = {
    "400": _("Bad request"),
    "401": _("Not authenticated"),
    "403": _("Not allowed"),
    "404": _("Not found"),
    "405": _("Method not allowed"),
    "406": _("Not acceptable"),
    "408": _("Request timeout"),
    "409": _("Conflict with the current state"),
    "410": _("Gone"),
    "413": _("Body too large"),
    "414": _("URL too long"),
    "415": _("Unsupported media type"),
    "422": _("Understood but refused"),
    "429": _("Too many requests"),
    "500": _("Error on our side"),
    "502": _("Invalid response from the provider"),
    "503": _("Temporarily unavailable"),
    "504": _("No response in time"),
}


def _error_classes() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the API can answer, by status, and what only people meet, on their pages."""
    by_status: dict[str, list[dict[str, Any]]] = {}
    of_pages = []
    for refusal in catalogue():
        if refusal.code in EXPLAINED:
            by_status.setdefault(refusal.code[3:6], []).append(_error(refusal) | _explained(refusal.code))
        else:
            of_pages.append(_error(refusal))
    classes = [{"status": status, "title": _TITLES[status], "codes": found} for status, found in by_status.items()]
    return classes, of_pages


def _error(refusal: type[Refusal]) -> dict[str, Any]:
    return {
        "code": refusal.code,
        "anchors": codes_of(refusal),
        "message": refusal.message,
        "advice": refusal.advice,
        "retryable": refusal.retryable,
    }


@cache
def _explained(code: str) -> dict[str, Any]:
    """What leads to an error, and the calls that provoke it with their answer, or words where no call does."""
    one = EXPLAINED[code]
    shown = {"script": script(one.calls), "answer": error_samples.of(code)} if one.calls else {}
    return {"cause": one.cause, "given": one.given.value, "words": one.words} | shown


_MADE: dict[str, Callable[..., HttpResponse]] = {
    "events": events,
    "errors": errors,
    "reference": reference,
    "changelog": changes,
}


def in_the_readers_language(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The page at an address without a language, such as `docUrl`: English for programs, which ask for none."""

    @wraps(view)
    def chosen(request: HttpRequest, **which: str) -> HttpResponse:
        response = view(request, language=translation.get_language_from_request(request), **which)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        return response

    return chosen


@require_safe
def moved(request: HttpRequest, rest: str, tag: str = "") -> HttpResponse:
    """Other spellings of an address: `/docs/pt-BR/refunds`, `/docs/es-MX`, `/docs/refunds/`."""
    try:
        language = translation.get_supported_language_variant(tag.lower()) if tag else None
    except LookupError:
        raise Http404 from None
    there = address(HOME, language) + rest.rstrip("/")
    if there == request.path:
        raise Http404
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{there}?{query}" if query else there)


def _of_language(language: str | None) -> list[URLPattern]:
    """Every page of a language; guides, errors and events also as Markdown: `docs/es/refunds`, `docs/es/refunds.md`."""
    said = {"language": language} if language else {}

    def at(place: str, view: Callable[..., HttpResponse], ending: str = "", **which: str) -> URLPattern:
        which |= {} if place == SEARCH else {"page": place}
        shown = view if language else in_the_readers_language(view)
        name = "docs" if language and not ending else None
        return path(address(place, language).removeprefix("/") + ending, shown, said | which, name=name)

    return [
        at(SEARCH, search),
        *(at(one, view) for one, view in _MADE.items()),
        *(at(one, guide_page) for one in GUIDES),
        *(at(one, guide_text, ".md") for one in GUIDES),
        *(at(one, _MADE[one], ".md", form="md") for one in ("errors", "events")),
    ]


urlpatterns = [
    *(one for language in (*LANGUAGES, None) for one in _of_language(language)),
    path("docs/changelog.atom", changes_feed),
    path("docs/libraries/<str:name>", library),
    path("docs/onpay.postman_collection.json", postman),
    path("llms.txt", llms, {"whole": False}),
    path("llms-full.txt", llms, {"whole": True}),
    re_path(r"^docs(?:/(?P<tag>[A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?))?(?P<rest>(?:/.*)?)$", moved),
]
