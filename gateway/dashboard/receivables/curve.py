"""The curve of a balance: coordinates for a picture that is stretched to its place. Labels are outside of it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from gateway.forecasts.available import Forecast, ForecastDay

HEIGHT = 100


@dataclass(frozen=True, slots=True)
class Curve:
    """A day is one unit wide. `before` is the line without the advance, `marks` the days with a deadline."""

    width: int
    line: str
    area: str
    before: str
    days: list[tuple[int, ForecastDay]]
    marks: list[tuple[float, date]]
    highest: int
    lowest: int
    zero: float


def curve(found: Forecast, before: Forecast | None, deadlines: Collection[date]) -> Curve:
    lowest = min(0, *(one.lowest for one in (found, before) if one))
    highest = max(1, *(day.available for one in (found, before) if one for day in one.days))

    def height(minor: int) -> float:
        return round(HEIGHT * (highest - minor) / (highest - lowest), 2)

    def line(one: Forecast) -> str:
        steps = "".join(f"V{height(day.available)}H{at + 1}" for at, day in enumerate(one.days))
        return f"M0 {height(one.days[0].available)}{steps}"

    return Curve(
        width=len(found.days),
        line=line(found),
        area=f"{line(found)}V{height(0)}H0Z",
        before=line(before) if before else "",
        days=list(enumerate(found.days)),
        marks=[(at + 0.5, day.day) for at, day in enumerate(found.days) if day.day in deadlines],
        highest=highest,
        lowest=lowest,
        zero=height(0),
    )
