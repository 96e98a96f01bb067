# One image for every process: web, workers, beat and the webhook dispatcher differ only in their command.
ARG PYTHON_IMAGE=python:3.11.14-slim-trixie
FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
COPY requirements.txt .
RUN pip install --require-hashes -r requirements.txt
WORKDIR /app
COPY . .
# Collecting files needs settings that load, not real ones: these keys stay in this stage.
RUN ONPAY_SECRET_KEY=$(python -c 'import secrets; print(secrets.token_urlsafe(48))') \
    ONPAY_ENCRYPTION_KEYS=$(python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())') \
    ONPAY_BASE_URL=https://gateway.example ONPAY_SDK_URL=https://sdk.gateway.example \
    python manage.py collectstatic --noinput --verbosity 0 && python -m compileall -q .

FROM ${PYTHON_IMAGE}
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1
RUN useradd --uid 10001 --no-create-home onpay
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
USER onpay
EXPOSE 8000
CMD ["python", "-m", "gateway.serving", "--host", "0.0.0.0"]
