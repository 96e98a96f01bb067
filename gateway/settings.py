"""All settings of the service, from the environment; an invalid value stops the start. See `.env.example`."""

import re
from ipaddress import ip_network
from pathlib import Path
from tempfile import gettempdir
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from gateway import local, logs
from gateway.database import addresses
from gateway.database.limits import Limits

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# The operator's state folder; a running local service is found through it.
LOCAL = env.bool("ONPAY_LOCAL", default=False)
_service = None if "DATABASE_URL" in env.ENVIRON else local.running()
if _service:
    LOCAL = True
    for _name, _value in _service.environment().items():
        env.ENVIRON.setdefault(_name, _value)

SECRET_KEY = env.str("ONPAY_SECRET_KEY", default="" if not LOCAL else "local-only-" + "0" * 50)
SECRET_KEY_FALLBACKS = env.list("ONPAY_SECRET_KEY_FALLBACKS", default=[])
ENCRYPTION_KEYS = env.list("ONPAY_ENCRYPTION_KEYS", default=[])
# Modules with a `PROVIDER` of the operator's own, besides those in gateway/providers.
PROVIDER_MODULES = env.list("ONPAY_PROVIDER_MODULES", default=[])
# Seconds until an unclear outcome is certain, by name of a provider that is to differ from its default.
PROVIDER_DEADLINES_S = env.dict("ONPAY_PROVIDER_DEADLINES", default={})
# For one HTTP call to a provider. A question may need five of them, and must end within a minute.
PROVIDER_TIMEOUT_S = env.int("ONPAY_PROVIDER_TIMEOUT_S", default=10)
# A provider account is taken out after so many failures in a row within so many seconds, the first time for so many.
PROVIDER_FAILURES = env.int("ONPAY_PROVIDER_FAILURES", default=5)
PROVIDER_FAILURES_WITHIN_S = env.int("ONPAY_PROVIDER_FAILURES_WITHIN_S", default=300)
PROVIDER_PAUSE_S = env.int("ONPAY_PROVIDER_PAUSE_S", default=60)
# On a developer's machine: the library of a stand-in for an acquirer's in the browser, by name of the acquirer.
ACQUIRER_SCRIPTS = env.dict("ONPAY_ACQUIRER_SCRIPTS", default={})
# Seconds until money that does not fit its payment is given back by itself; until then staff can keep it.
SUSPENSE_RETURNS_AFTER_S = env.int("ONPAY_SUSPENSE_RETURNS_AFTER", default=3600)
# A bank account without a statement for more than so many banking days (Monday to Friday) is an alarm.
STATEMENTS_LATE_AFTER_DAYS = env.int("ONPAY_STATEMENTS_LATE_AFTER_DAYS", default=3)
# Days until a proposal of staff that no second person has confirmed ends by itself.
PROPOSALS_EXPIRE_AFTER_DAYS = env.int("ONPAY_PROPOSALS_EXPIRE_AFTER_DAYS", default=14)

# The environments that this process serves. Production alone never loads the code that reads card numbers.
ENVIRONMENTS = [name.strip().upper() for name in env.list("ONPAY_ENVIRONMENTS", default=["sandbox", "production"])]
if not ENVIRONMENTS or not {"SANDBOX", "PRODUCTION"}.issuperset(ENVIRONMENTS):
    raise ImproperlyConfigured("ONPAY_ENVIRONMENTS is sandbox, production, or both with a comma between them.")

# The cells in which workers and dispatchers of this environment work. Empty: all.
CELLS = sorted({name.strip() for name in env.list("ONPAY_CELLS", default=[])})
if not all(re.fullmatch("public|cell_[0-9]{2,4}", name) for name in CELLS):
    raise ImproperlyConfigured("ONPAY_CELLS is names of cells with a comma between them: public, cell_01.")

BASE_URL = env.str("ONPAY_BASE_URL", default="http://localhost:8000").rstrip("/")
SANDBOX_BASE_URL = env.str("ONPAY_SANDBOX_BASE_URL", default=BASE_URL).rstrip("/")
# Pages that handle cards have their own origin; on a developer's machine it is the address instead of the name.
SDK_URL = env.str("ONPAY_SDK_URL", default=BASE_URL.replace("//localhost", "//127.0.0.1")).rstrip("/")
# Where institutions call us. With client certificates it has a host of its own: browsers would ask people for theirs.
CALLBACKS_URL = (env.str("ONPAY_CALLBACKS_URL", default="") or BASE_URL).rstrip("/")
_hosts = {str(urlsplit(url).hostname) for url in (BASE_URL, SANDBOX_BASE_URL, SDK_URL, CALLBACKS_URL)}
ALLOWED_HOSTS = env.list("ONPAY_ALLOWED_HOSTS", default=[]) or sorted(
    _hosts | ({"localhost", "127.0.0.1", "[::1]"} if LOCAL else set())
)
_proxies = env.list("ONPAY_TRUSTED_PROXIES", default=[])
# "none" must be explicit: with https and no proxy in front, the web process has the certificate itself.
HAS_NO_PROXY = _proxies == ["none"]
TRUSTED_PROXIES = [] if HAS_NO_PROXY else [str(ip_network(network)) for network in _proxies]
# The header in which the proxies pass the client's address. Clients cannot forge one whose name they do not know.
CLIENT_ADDRESS_HEADER = env.str("ONPAY_CLIENT_ADDRESS_HEADER", default="X-Forwarded-For")
# The header in which they pass the client certificate of a callback, or its SHA-256 fingerprint.
CLIENT_CERTIFICATE_HEADER = env.str("ONPAY_CLIENT_CERTIFICATE_HEADER", default="Onpay-Client-Certificate")
# Uncached templates, and error pages that show the code. `make dev` turns it on.
DEBUG = env.bool("ONPAY_DEBUG", default=False)
DEFAULT_EXCEPTION_REPORTER = "gateway.technical_page.Reporter"
if DEBUG and not LOCAL:
    raise ImproperlyConfigured("ONPAY_DEBUG shows the code to everybody: it needs ONPAY_LOCAL.")
if ACQUIRER_SCRIPTS and not LOCAL:
    raise ImproperlyConfigured("ONPAY_ACQUIRER_SCRIPTS loads what no acquirer published: it needs ONPAY_LOCAL.")
if LOCAL and BASE_URL.startswith("https://"):
    raise ImproperlyConfigured("ONPAY_LOCAL is for a developer's machine; ONPAY_BASE_URL is not on one.")

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.simple_history",
    "gateway.staff.apps.StaffSiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_celery_beat",
    "simple_history",
    "csp",
    "rest_framework",
    "accounts",
    "webhooks",
    "ledger",
    "gateway",
    "gateway.dashboard",
    "gateway.staff",
]

MIDDLEWARE = [
    "gateway.api.middleware.RequestIdMiddleware",
    "gateway.health.ProbesMiddleware",
    "gateway.serving.middleware.BodyMiddleware",
    "gateway.api.middleware.PayersMiddleware",
    "gateway.api.middleware.ApiMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.step_up.StepUpMiddleware",
    "gateway.dashboard.middleware.PersonMiddleware",
    "gateway.staff.cell.StaffCellMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "gateway.content_policy.ContentSecurityPolicyMiddleware",
    "gateway.misdirected.MisdirectedMiddleware",
]

_loaders = ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"]
ROOT_URLCONF = "gateway.urls"
WSGI_APPLICATION = "gateway.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": _loaders if DEBUG else [("django.template.loaders.cached.Loader", _loaders)],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "gateway.demo.is_local",
            ],
        },
    }
]

# ── PostgreSQL: pooled connections, prepared statements, and a limit on every wait ────────────────────────────────
DATABASE_LIMITS = Limits(statement_timeout=env.int("ONPAY_DB_STATEMENT_TIMEOUT_MS", default=10_000))
DATABASES = {"default": addresses.serving(env, DATABASE_LIMITS)} | addresses.replica(env, DATABASE_LIMITS)
DATABASE_ROUTERS = ["gateway.cells.routing.CellRouter"]
# For how long a read waits until a replica has what was committed before it.
REPLICA_PATIENCE_MS = env.int("ONPAY_REPLICA_PATIENCE_MS", default=30)
# Whether a pooler in transaction mode is in between: nothing that a connection keeps may then be relied on.
DATABASE_POOLER = addresses.has_pooler(env)
# The owner of the tables, for `migrate`, and the role that creates it, for `prepare_database`. Empty: one role for all.
DATABASE_OWNER = addresses.command_database(env, addresses.OWNING, DATABASE_LIMITS)
DATABASE_ADMIN = addresses.command_database(env, addresses.ADMINISTERING, DATABASE_LIMITS)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# ── Celery: the timetable. Work itself is rows in PostgreSQL ──────────────────────────────────────────────────────
CELERY_BROKER_URL = addresses.of_valkey(env, "CELERY_BROKER_URL", "redis://localhost:6379/0")
# Celery prefers the environment variable to the setting above, and that one has no password.
CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = CELERY_BROKER_URL
CACHE_URL = addresses.of_valkey(env, "ONPAY_CACHE_URL", CELERY_BROKER_URL)
# Counts of failed sign-ins and used codes, shared by all web processes.
CACHES = {"default": addresses.cache(CACHE_URL)}
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
    "visibility_timeout": 300,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
}
if (
    CELLS and "public" not in CELLS
):  # their schedule is of their own: what others do not serve must not be taken by them
    CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"] = f"{'+'.join(CELLS)}:"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BEAT_SCHEDULER = "gateway.timetable:Timetable"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
CELERY_ENABLE_UTC = True
CELERY_TIMEZONE = "UTC"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SOFT_TIME_LIMIT = 110
CELERY_TASK_TIME_LIMIT = 120
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Else every line of ours is quoted in a line of level warning, and no alarm sees what is critical.
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
DJANGO_CELERY_BEAT_TZ_AWARE = True

# ── People ────────────────────────────────────────────────────────────────────────────────────────────────────────
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in {
        "UserAttributeSimilarityValidator": {},
        "MinimumLengthValidator": {"min_length": 12},
        "CommonPasswordValidator": {},
        "NumericPasswordValidator": {},
    }.items()
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/dashboard/"
ACCOUNT_ADAPTER = "accounts.signing_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.forms.CompanyOfTheFounder"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Onpay Gateway: "
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_RATE_LIMITS = {"login_failed": "20/m/ip,10/1800s/key"}  # passwords: accounts.lockout
ACCOUNT_FORMS = {
    "signup": "accounts.signing_up.SignUpForm",
    "change_password": "accounts.passwords.ChangeForm",
    "set_password": "accounts.passwords.SetForm",
    "reset_password_from_key": "accounts.passwords.ResetForm",
}
MFA_ADAPTER = "accounts.signing_in.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Onpay Gateway"
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = LOCAL
# Seconds without a request after which a person must sign in again.
SESSION_IDLE_S = env.int("ONPAY_SESSION_IDLE_S", default=12 * 3600 if LOCAL else 900)

# ── What browsers are told ────────────────────────────────────────────────────────────────────────────────────────
_https = BASE_URL.startswith("https://")
SECURE_SSL_REDIRECT = _https and not LOCAL
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_SSL_REDIRECT else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_SSL_REDIRECT
SECURE_HSTS_PRELOAD = SECURE_SSL_REDIRECT
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT
SESSION_COOKIE_NAME = "__Host-session" if SECURE_SSL_REDIRECT else "session"
SESSION_COOKIE_AGE = 12 * 3600
KNOWN_BROWSER_COOKIE_NAME = "__Host-known-browser" if SECURE_SSL_REDIRECT else "known-browser"
STEP_UP_COOKIE_NAME = "__Host-step-up" if SECURE_SSL_REDIRECT else "step-up"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "gateway.api.views.csrf_failure"
X_FRAME_OPTIONS = "DENY"
_SELF = "'self'"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [_SELF],
        "img-src": [_SELF, "data:"],
        "style-src": [_SELF],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": [_SELF],
        "frame-ancestors": ["'none'"],
    }
}

# ── Files and languages ───────────────────────────────────────────────────────────────────────────────────────────
STATIC_URL = "/static/"
STATIC_ROOT = None if LOCAL else BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = LOCAL
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if LOCAL
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español"), ("pt-br", "Português")]
LOCALE_PATHS = [BASE_DIR / "gateway" / name for name in ("locale", "allauth_locale", "unfold_locale")]
# The second overrides allauth's translations: the polite form, and our terms. Unfold has none of its own.
FORMAT_MODULE_PATH = "gateway.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# ── E-mail ────────────────────────────────────────────────────────────────────────────────────────────────────────
vars().update(env.email_url_config(env.str("ONPAY_EMAIL_URL", default="") or "consolemail://"))
if LOCAL and not env.str("ONPAY_EMAIL_URL", default=""):  # /demo/mail shows them
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = str(local.home.folder() / "mail")
DEFAULT_FROM_EMAIL = env.str("ONPAY_EMAIL_FROM", default="Onpay Gateway <no-reply@localhost>")
EMAIL_TIMEOUT = 10
# The support contact: an e-mail address or a URL. Pages and refusals link to it.
SUPPORT = env.str("ONPAY_SUPPORT", default="")
if SUPPORT and not SUPPORT.startswith(("https://", "http://")) and "@" not in SUPPORT:
    raise ImproperlyConfigured("ONPAY_SUPPORT is an e-mail address, or an address that begins with https://.")
# What people accept at sign-up, and once more when the version changes; without addresses there are plain pages.
TERMS_VERSION = env.str("ONPAY_TERMS_VERSION", default="1")
TERMS_URL = env.str("ONPAY_TERMS_URL", default="")
PRIVACY_URL = env.str("ONPAY_PRIVACY_URL", default="")
if any(address and not address.startswith(("https://", "http://")) for address in (TERMS_URL, PRIVACY_URL)):
    raise ImproperlyConfigured("ONPAY_TERMS_URL and ONPAY_PRIVACY_URL are addresses that begin with https://.")
if not 0 < len(TERMS_VERSION) <= 20:
    raise ImproperlyConfigured("ONPAY_TERMS_VERSION has 1 to 20 characters.")
# Whether people are notified by e-mail about disputes, withdrawals and advances of the sandbox.
SANDBOX_NOTICES = env.bool("ONPAY_SANDBOX_NOTICES", default=LOCAL)
DEMO_DAYS = env.int("ONPAY_DEMO_DAYS", default=90)

# ── The API ───────────────────────────────────────────────────────────────────────────────────────────────────────
RATE_LIMIT_WINDOW_S = 300
RATE_LIMITS = {
    "all": env.int("ONPAY_RATE_LIMIT_ALL", default=1000),
    "payments": env.int("ONPAY_RATE_LIMIT_PAYMENTS", default=200),
    "refunds": env.int("ONPAY_RATE_LIMIT_REFUNDS", default=200),
    "payers": env.int("ONPAY_RATE_LIMIT_PAYERS", default=1000),
    # Payments begun at payment links, for each address and for each link.
    "link_payers": env.int("ONPAY_RATE_LIMIT_LINK_PAYERS", default=20),
    "payment_links": env.int("ONPAY_RATE_LIMIT_PAYMENT_LINKS", default=200),
}
# The source of production rates, fetched every minute; it may contain a key. Empty: staff enter them.
RATES_URL = env.str("ONPAY_RATES_URL", default="")
# A second source, of somebody else: it checks the first, and serves while the first is away.
RATES_SECOND_URL = env.str("ONPAY_RATES_SECOND_URL", default="")
# For each currency, and ALL for the others: how many seconds a fetched rate is used, how far it may jump, and how far
# the sources may be apart.
RATES_MAX_AGE_S = env.dict("ONPAY_RATES_MAX_AGE_S", default={})
RATES_MAX_JUMP = env.dict("ONPAY_RATES_MAX_JUMP", default={})
RATES_MAX_DIFFERENCE = env.dict("ONPAY_RATES_MAX_DIFFERENCE", default={})
# The bearer token with which /health/ says which part is down.
HEALTH_TOKEN = env.str("ONPAY_HEALTH_TOKEN", default="")
# The folder in which the processes of a host count for `manage.py serve_metrics`: accounts/base/counters.py.
METRICS_DIR = env.str("ONPAY_METRICS_DIR", default="")
# The settings of OpenTelemetry and Sentry, which read them themselves.
TRACES = bool(env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default=""))
ERROR_REPORTS = bool(env.str("SENTRY_DSN", default=""))
# The folder of the heartbeats of worker, beat and dispatcher, for `manage.py is_alive`.
SIGNS_OF_LIFE = str(local.home.folder() if LOCAL else gettempdir())
DATA_UPLOAD_MAX_MEMORY_SIZE = 15 * 1024 * 1024 + 1
# Files are kept in memory: gateway.serving.limits defines which pages accept them, and their size.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = 25 * 1024 * 1024
# The retention of the request log that companies read. 0: nothing is stored.
REQUEST_LOG_DAYS = env.int("ONPAY_REQUEST_LOG_DAYS", default=30)
# The ports of webhook endpoints that may be called: with any port we could be used as a port scanner.
WEBHOOK_PORTS = [int(port) for port in env.list("ONPAY_WEBHOOK_PORTS", default=["443", "8443"])]
WEBHOOK_TIME_SCALE = env.float("ONPAY_WEBHOOK_TIME_SCALE", default=1.0)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["gateway.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["gateway.api.permissions.HasPermission"],
    "DEFAULT_RENDERER_CLASSES": ["gateway.api.renderers.EnvelopeRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": None,
    "EXCEPTION_HANDLER": "gateway.api.errors.answer",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
}
UNFOLD = {
    "SITE_TITLE": _("Onpay staff"),
    "SITE_HEADER": "Onpay Gateway",
    "SITE_SUBHEADER": _("Support staff"),
    "SITE_SYMBOL": "account_balance",
    "SITE_URL": "/dashboard/",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": True,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "gateway.staff.admin.icon"}],
    "STYLES": ["gateway.staff.admin.stylesheet"],
    "SCRIPTS": ["gateway.staff.admin.script"],
    "COLORS": {
        "primary": {
            "50": "oklch(97% .014 254.604)",
            "100": "oklch(93.2% .032 255.585)",
            "200": "oklch(88.2% .059 254.128)",
            "300": "oklch(80.9% .105 251.813)",
            "400": "oklch(70.7% .165 254.624)",
            "500": "oklch(62.3% .214 259.815)",
            "600": "oklch(54.6% .245 262.881)",
            "700": "oklch(48.8% .243 264.376)",
            "800": "oklch(42.4% .199 265.638)",
            "900": "oklch(37.9% .146 265.522)",
            "950": "oklch(28.2% .091 267.935)",
        },
    },
    "ACCOUNT": {"navigation": "gateway.staff.admin.account"},
    "DASHBOARD_CALLBACK": "gateway.staff.overview.page.fill",
    "COMMAND": {"search_callback": "gateway.staff.kit.finding.find"},
    "SIDEBAR": {"show_search": True, "command_search": True, "navigation": "gateway.staff.admin.sidebar"},
}

LOGGING_CONFIG = None
_also = []
if ERROR_REPORTS:
    from gateway.telemetry import errors

    _also = [errors.report]
logs.configure(env.str("ONPAY_LOG_LEVEL", default="INFO"), also=_also)
