// Shows the contract. A call that is tried goes to this host, for the page may talk to no other, and every POST gets
// a fresh idempotency key. Keys are forgotten with the page.
const place = document.getElementById("reference");

// What the reader of the contract leaves without a name, and links inside of buttons: they are for its own addresses.
function name() {
  document.getElementById("servers")?.setAttribute("aria-label", "Server");
  for (const link of place.querySelectorAll(".opblock-summary-control a")) link.removeAttribute("href");
}

function show(contract) {
  const here = contract.servers.filter((server) => new URL(server.url, location.href).origin === location.origin);
  contract.servers = here.length ? here : [{ url: location.origin }];
  for (const operations of Object.values(contract.paths)) {
    for (const parameter of operations.post?.parameters ?? []) {
      parameter.required = parameter.required && parameter.name !== "idempotency-key"; // filled in below
    }
  }
  window.ui = SwaggerUIBundle({
    spec: contract,
    domNode: place,
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    onComplete: name,
    requestInterceptor: (request) => {
      if (request.method === "POST" && !request.headers["idempotency-key"]) {
        request.headers["idempotency-key"] = crypto.randomUUID();
      }
      return request;
    },
  });
}

fetch(place.dataset.url)
  .then((answer) => answer.json())
  .then(show)
  .catch(() => { place.textContent = "The contract could not be loaded. Reload the page in a moment."; });
