"""The one registered address from which money can be withdrawn (contract §11.1)."""

from ipaddress import IPv4Address, IPv6Address, ip_address

Address = IPv4Address | IPv6Address


def is_registered(registered: str | None, origin: Address | None) -> bool:
    """Whether the request came from the registered address; IPv4-mapped IPv6 counts as IPv4."""
    if registered is None or origin is None:
        return False
    known = ip_address(registered)
    return (getattr(known, "ipv4_mapped", None) or known) == (getattr(origin, "ipv4_mapped", None) or origin)
