"""What a company may show when it answers: files of some types, by their content."""

from accounts.files import TYPES as TYPES
from accounts.files import type_of as type_of

LARGEST = 2 * 1024 * 1024
