"""Dropping a file in the folder of an institution, once, whatever breaks on the way.

It is uploaded under a name that the institution does not read, and then renamed. That the renaming begins is stored
first: before that, nothing was handed over; after it, we look before we write. A file that is in the folder neither
under its own name nor under the other one was picked up, or it never arrived: only people can find out which.
"""

from collections.abc import Callable

from gateway.providers.by_file import Folder
from gateway.providers.errors import CallFailed

PART = ".part"


def drop(
    folder: Folder, name: str, content: bytes, *, is_renaming: bool, renaming_begins: Callable[[], object]
) -> bool:
    """False: nobody can tell from here. `is_renaming`: the renaming has begun before. Raises CallFailed."""
    part = name + PART
    if is_renaming:
        if folder.find(name) is not None:
            return True
        if folder.find(part) != len(content):
            return False
    else:
        folder.upload(part, content)
        if folder.find(part) != len(content):
            raise CallFailed("the file in the folder has another size than ours")
        renaming_begins()
    folder.rename(part, name)
    return True
