"""What still needs a provider account: each room above counts its own."""

from collections.abc import Callable

from gateway.providers.models import ProviderAccount

Count = Callable[[ProviderAccount], int]
_counts: dict[str, Count] = {}


def needed_for(what: str) -> Callable[[Count], Count]:
    """Makes a function the count of `what`, in the plural, that is under way at an account."""

    def registered(count: Count) -> Count:
        assert what not in _counts
        _counts[what] = count
        return count

    return registered


def needs_of(account: ProviderAccount) -> dict[str, int]:
    """How many of each kind are under way there; empty if nothing is."""
    found = {what: count(account) for what, count in _counts.items()}
    return {what: number for what, number in found.items() if number}
