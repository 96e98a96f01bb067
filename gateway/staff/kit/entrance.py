"""Access to the staff admin."""

from collections.abc import Callable

from django.http import HttpRequest

from accounts import second_factor

MayEnter = Callable[[HttpRequest], bool]


def with_second_factor(may_enter: MayEnter) -> MayEnter:
    """Sends staff without a second factor to set one up, except on a developer's machine."""

    def enters(request: HttpRequest) -> bool:
        enters = may_enter(request)
        if enters and second_factor.is_demanded():
            second_factor.require_set_up(request)
        return enters

    return enters
