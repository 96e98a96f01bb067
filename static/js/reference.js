// Shows the contract; every POST that is tried here gets a fresh idempotency key. Requests stay on this origin:
// the key says which environment is meant, and the page may talk to nobody else.
const place = document.getElementById("reference");
window.ui = SwaggerUIBundle({
  url: place.dataset.url,
  domNode: place,
  deepLinking: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const url = new URL(request.url, location.origin);
    request.url = location.origin + url.pathname + url.search;
    if (request.method === "POST" && !request.headers["idempotency-key"]) {
      request.headers["idempotency-key"] = crypto.randomUUID();
    }
    return request;
  },
});
