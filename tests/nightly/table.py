"""What was broken, how much was tried meanwhile, and what was lost or doubled."""

from collections.abc import Iterable, Sequence

from tests.nightly.parts import Result
from tests.support.tally import Count

HEAD = ("part", "what", "faults", "tried", "lost", "doubled", "took", "")
NOTHING = Count("–", 0)


def table(results: Sequence[Result]) -> str:
    """One line for each count; those of one kind, such as of several runs of a test, are added up."""
    lines = [HEAD, *(line for one in results for line in _lines(one))]
    total = added([count for one in results for count in one.counts if count.what != "tests"])
    lines.append(("all", "", *_numbers(total), _time(sum(one.took_s for one in results)), ""))
    notes = [(one.target, count) for one in results for count in one.counts if count.note]
    told = [f"{target}, {count.what}: {count.note}" for target, count in notes]
    return "\n".join([*_aligned(lines), *(["", *told] if told else [])])


def _lines(one: Result) -> Iterable[tuple[str, ...]]:
    kinds = list(dict.fromkeys(count.what for count in one.counts))
    counts = [added([count for count in one.counts if count.what == kind]) for kind in kinds] or [NOTHING]
    for number, count in enumerate(counts):
        about = ("", "", "") if number else (one.target, _time(one.took_s), "passed" if one.passed else "FAILED")
        yield about[0], count.what, *_numbers(count), *about[1:]


def added(counts: Sequence[Count]) -> Count:
    """Their sums, under the name of the first."""
    sums = {name: sum(getattr(one, name) for one in counts) for name in ("tried", "faults", "lost", "doubled")}
    return Count(counts[0].what if counts else NOTHING.what, **sums)


def _numbers(count: Count) -> tuple[str, ...]:
    return tuple(f"{number:,}" for number in (count.faults, count.tried, count.lost, count.doubled))


def _time(seconds: float) -> str:
    return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}:{seconds % 60:02.0f}"


def _aligned(lines: Sequence[tuple[str, ...]]) -> Iterable[str]:
    """Words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if place in (0, 1, 7) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
