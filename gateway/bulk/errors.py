"""Refusals of bulk files."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class UnreadableSheet(InvalidRequest):
    """`reason` is one of `sheets.Unreadable`."""

    code = "ONP400_BULK_FILE"
    message = _("The file is no CSV or XLSX that can be read, or it is too large.")
    advice = _("Upload a file made from the template.")


class BulkFileUnknown(Refusal):
    code = "ONP404_BULK_FILE"
    message = _("Bulk file not found.")
    advice = _("Check the id; a file that nobody confirms is deleted after an hour.")


class BulkFileState(Refusal):
    code = "ONP409_BULK_FILE_STATE"
    message = _("The bulk file was confirmed or discarded already, or it was checked too long ago.")
    advice = _("Upload the file again if it was not confirmed.")


class BulkNotReviewed(Refusal):
    code = "ONP409_BULK_FILE_REVIEW"
    message = _("The file repeats earlier lines or pays new beneficiaries, and nobody confirmed that this is intended.")
    advice = _("Compare the lines that the review lists, then confirm them.")


class BulkFileChanged(Refusal):
    code = "ONP409_BULK_FILE_CHANGED"
    message = _("What waits for approval in the file is not what was shown: some was added, decided or has ended.")
    advice = _("Look at the file again, then decide.")
