"""The company's own withdrawal rules: approvals, beneficiaries and limits."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.audit import Actor
from accounts.base.errors import Refusal
from accounts.joining import team
from accounts.roles import May, Role
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.amounts import ExactAmountField, in_currency
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.words import ROLE
from gateway.withdrawals.rules import services
from gateway.withdrawals.rules.content import (
    APPROVER_ROLES,
    MOST_HOURS,
    MOST_PEOPLE,
    Outside,
    Rules,
    may_be_named,
    weakened,
)
from gateway.withdrawals.rules.models import RulesState
from gateway.withdrawals.rules.selectors import in_force, proposed
from ledger.chart import WALLET_METHOD
from ledger.money import to_decimal, to_minor
from ledger.notation import written

OUTSIDE = {
    Outside.ALLOWED: gettext_lazy("Allowed"),
    Outside.APPROVED: gettext_lazy("Always need approval"),
    Outside.REFUSED: gettext_lazy("Are refused"),
}
RULE = {
    "people": gettext_lazy("How many people must approve"),
    "above": gettext_lazy("The amounts above which they must approve"),
    "approvers": gettext_lazy("Who approves"),
    "valid_for_h": gettext_lazy("How long a withdrawal waits"),
    "outside_book": gettext_lazy("Accounts outside the usable beneficiaries"),
    "cooling_off_h": gettext_lazy("The cooling-off time of beneficiaries"),
    "per_day": gettext_lazy("The limits in 24 hours"),
    "per_beneficiary": gettext_lazy("The limits for each beneficiary"),
}
LIMITS = ("above", "per_day", "per_beneficiary")


class RulesForm(OnceForm):
    """All rules; an empty amount is no limit, or approval of every amount."""

    people = forms.TypedChoiceField(
        label=RULE["people"],
        coerce=int,
        choices=[(0, gettext_lazy("Nobody: no approvals")), *((n, str(n)) for n in range(1, MOST_PEOPLE + 1))],
        help_text=gettext_lazy(
            "Other people than the one who asks, each with the second factor or a key of their own."
        ),
    )
    roles = forms.MultipleChoiceField(
        label=gettext_lazy("Roles that approve"),
        choices=[(role, ROLE[role][0]) for role in APPROVER_ROLES],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    persons = forms.MultipleChoiceField(
        label=gettext_lazy("People who approve as well"), widget=forms.CheckboxSelectMultiple, required=False
    )
    keys = forms.BooleanField(
        label=gettext_lazy("API keys with the permission to approve count as the person who issued them"),
        required=False,
    )
    valid_for_h = forms.IntegerField(
        label=gettext_lazy("Hours until a withdrawal that nobody approves fails"), min_value=1, max_value=MOST_HOURS
    )
    outside_book = forms.ChoiceField(label=RULE["outside_book"], choices=[*OUTSIDE.items()])
    cooling_off_h = forms.IntegerField(
        label=gettext_lazy("Hours until a new beneficiary can be used"), min_value=0, max_value=MOST_HOURS
    )

    def __init__(self, here: RequestContext, *args: Any, **kwargs: Any) -> None:
        known = in_force(here.merchant).rules
        super().__init__(*args, initial=_initial(known), **kwargs)
        people = self.fields["persons"]
        assert isinstance(people, forms.MultipleChoiceField)
        named = [one for one in team(here.company) if may_be_named(Role(one.role))]
        people.choices = [(str(one.user_id), one.user.email) for one in named]
        for name in LIMITS:
            for currency in WALLET_METHOD:
                self.fields[f"{name}_{currency}"] = field = ExactAmountField(
                    label=f"{currency}: {RULE[name]}", required=False
                )
                field.widget.attrs["class"] = "form-control"
                in_currency(self, **{f"{name}_{currency}": currency})

    def rules(self) -> Rules:
        given = self.cleaned_data
        limits: dict[str, dict[str, int]] = {
            name: {
                currency: to_minor(amount, currency)
                for currency in WALLET_METHOD
                if (amount := given[f"{name}_{currency}"]) is not None
            }
            for name in LIMITS
        }
        return Rules(
            people=given["people"],
            roles=frozenset(map(Role, given["roles"])),
            persons=frozenset(map(int, given["persons"])),
            keys=given["keys"],
            valid_for_h=given["valid_for_h"],
            outside_book=Outside(given["outside_book"]),
            cooling_off_h=given["cooling_off_h"],
            **limits,
        )

    @property
    def rows(self) -> list[tuple[str, list[Any]]]:
        """Currency → its fields in the order of `LIMITS`."""
        return [(currency, [self[f"{name}_{currency}"] for name in LIMITS]) for currency in WALLET_METHOD]

    @property
    def general(self) -> list[Any]:
        """All other visible fields."""
        limits = {f"{name}_{currency}" for name in LIMITS for currency in WALLET_METHOD}
        return [field for field in self.visible_fields() if field.name not in limits]


def _initial(known: Rules) -> dict[str, Any]:
    amounts = {
        f"{name}_{currency}": to_decimal(minor, currency)
        for name in LIMITS
        for currency, minor in getattr(known, name).items()
    }
    return amounts | {
        "people": known.people,
        "roles": [str(role) for role in known.roles],
        "persons": [str(one) for one in known.persons],
        "keys": known.keys,
        "valid_for_h": known.valid_for_h,
        "outside_book": known.outside_book.value,
        "cooling_off_h": known.cooling_off_h if known.is_on else 24,
    }


def _changes(here: RequestContext) -> Facts:
    """What the submitted form would weaken."""
    form = RulesForm(here, here.request.POST)
    if not form.is_valid():
        return []
    rules = form.rules()
    weaker = weakened(in_force(here.merchant).rules, rules)
    return [*described(here, rules), *((_("Weaker than now"), RULE[name]) for name in weaker)]


def described(here: RequestContext, rules: Rules) -> Facts:
    """The rules in words."""
    emails = {one.user_id: one.user.email for one in team(here.company)}
    who = [str(ROLE[role][0]) for role in APPROVER_ROLES if role in rules.roles]
    who += [emails[one] for one in sorted(rules.persons) if one in emails]
    who += [_("API keys")] if rules.keys else []
    facts: Facts = []
    if rules.people:
        facts += [
            (RULE["people"], rules.people),
            (RULE["approvers"], ", ".join(who) or "–"),
            (RULE["above"], _amounts(rules.above) or _("every amount")),
            (RULE["valid_for_h"], _("%(n)s hours") % {"n": rules.valid_for_h}),
        ]
    facts += [
        (RULE["outside_book"], OUTSIDE[rules.outside_book]),
        (RULE["cooling_off_h"], _("%(n)s hours") % {"n": rules.cooling_off_h}),
        (RULE["per_day"], _amounts(rules.per_day) or "–"),
        (RULE["per_beneficiary"], _amounts(rules.per_beneficiary) or "–"),
    ]
    return facts


def _amounts(limits: Any) -> str:
    return " · ".join(written(to_decimal(minor, currency), currency, coded=True) for currency, minor in limits.items())


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Change the withdrawal rules"), about=_changes))
def rules(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The form. Weaker rules wait for another owner, or for two days."""
    form = RulesForm(here, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            version = services.propose(Actor.of(request), here.merchant, form.rules())
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("withdrawal_rules", message=_outcome(version.state if version else ""))
    waiting, known = proposed(here.merchant), in_force(here.merchant).rules
    return here.render(
        "settings/rules.html",
        form=form,
        known=known,
        unlimited=sorted(known.above.keys() - known.per_day.keys()) if known.people else [],
        waiting=waiting,
        waiting_facts=described(here, Rules.of_json(waiting.content)) if waiting else (),
        may_agree=waiting is not None and services.may_agree(here.merchant, waiting, here.user, here.now),
    )


def _outcome(state: str) -> str:
    if state == RulesState.PROPOSED:
        return _("Some rules become weaker: another owner must agree, or they take effect in 48 hours.")
    return _("The rules are in force.") if state else _("Nothing has changed.")


def _proposal(here: RequestContext, rules_id: str) -> Facts:
    waiting = proposed(here.merchant)
    return described(here, Rules.of_json(waiting.content)) if waiting and waiting.pk == rules_id else []


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Agree to weaker withdrawal rules"), about=_proposal))
def agree(request: HttpRequest, here: RequestContext, rules_id: str) -> HttpResponse:
    services.agree(Actor.of(request), here.merchant, rules_id)
    return here.redirect("withdrawal_rules", message=_("The rules are in force."))


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Stop a change of the withdrawal rules"), about=_proposal))
def stop(request: HttpRequest, here: RequestContext, rules_id: str) -> HttpResponse:
    services.stop(Actor.of(request), here.merchant, rules_id)
    return here.redirect("withdrawal_rules", message=_("The change was stopped."))
