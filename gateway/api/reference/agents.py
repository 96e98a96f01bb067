"""The site as text for language models. https://llmstxt.org"""

from django.conf import settings

from gateway.api.reference.guides import guide, guides
from gateway.api.reference.site import CHAPTERS, GUIDES, HOME, address

ENGLISH = "en"


def contents() -> str:
    """What the service is, and every guide with a sentence about it and the address of its Markdown."""
    home = guide(HOME, ENGLISH)
    lines = [f"# {home.title}", "", f"> {home.summary}", ""]
    for chapter in CHAPTERS:
        entries = [guide(page, ENGLISH) for page in chapter.pages if page in GUIDES]
        links = [f"- [{one.title}]({_at(address(one.page, ENGLISH))}.md): {one.summary}" for one in entries]
        lines += [f"## {chapter.title}", "", *links, ""]
    lines += [
        "## Machine-readable",
        "",
        f"- [OpenAPI 3.1]({_at('/api/v2/openapi.json')}): every operation, schema, example and event",
        f"- [Errors]({_at(address('errors', ENGLISH))}.md): every error code and what to do",
        f"- [Events]({_at(address('events', ENGLISH))}.md): every event type with a delivery",
        f"- [All guides in one text]({_at('/llms-full.txt')})",
        "",
    ]
    return "\n".join(lines)


def everything() -> str:
    """All guides, one after the other."""
    return "\n\n".join(one.markdown.strip() for one in guides(ENGLISH)) + "\n"


def _at(path: str) -> str:
    return f"{settings.BASE_URL}{path}"
