"""The settings, from the same environment as ours."""

import os
import secrets

import environ

env = environ.Env()
SECRET_KEY = secrets.token_hex()
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "tests.bench.peers.ordinary",
]
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "tests.bench.peers.ordinary.urls"
DATABASES = {"default": env.db("DATABASE_URL") | {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": os.environ["ONPAY_CACHE_URL"]}
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
# By the second: REST framework keeps the hits of a period in one list, which it reads and writes for each request.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tests.bench.peers.ordinary.keys.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["tests.bench.peers.ordinary.keys.KeyMay"],
    "DEFAULT_THROTTLE_CLASSES": [
        "tests.bench.peers.ordinary.keys.AllOfKey",
        "tests.bench.peers.ordinary.keys.PaymentsOfKey",
    ],
    "DEFAULT_THROTTLE_RATES": {"all": "100000000/second", "payments": "100000000/second"},
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}
