"""Every page about the company itself."""

from gateway.dashboard.company import audit, settings, team, verification

urls = [*team.urls, *settings.urls, *verification.urls, *audit.urls]
