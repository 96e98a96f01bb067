// Shows the contract; every POST that is tried here gets a fresh idempotency key.
const place = document.getElementById("reference");
window.ui = SwaggerUIBundle({
  url: place.dataset.url,
  domNode: place,
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (request.method === "POST" && !request.headers["idempotency-key"]) {
      request.headers["idempotency-key"] = crypto.randomUUID();
    }
    return request;
  },
});
