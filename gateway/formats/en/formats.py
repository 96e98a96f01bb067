"""Formats of pages and e-mails in English: 24 hours, as everywhere else."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j F Y H:i"
TIME_FORMAT = "H:i"
SHORT_DATE_FORMAT = "j M Y"
SHORT_DATETIME_FORMAT = "j M Y H:i"
