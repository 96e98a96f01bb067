// The way back from the 3DS challenge: in a frame the SDK is told, on a page of its own the payer goes to the shop.
"use strict";

const { shop, sdk, payment, status, code, message, back, done } = document.body.dataset;
const isFramed = window.parent !== window;

// To exactly the page around this one; where the browser does not name it, to both that may be.
function tell(about) {
  const around = location.ancestorOrigins?.[0];
  for (const origin of [shop, sdk].includes(around) ? [around] : new Set([shop, sdk])) {
    window.parent.postMessage({ onpay: 2, ...about }, origin);
  }
}

if (isFramed) {
  document.body.classList.add("framed");
  document.addEventListener("keydown", (event) => event.key === "Escape" && tell({ type: "threeDsLeave" }));
}

if (done && isFramed) {
  tell({ type: "threeDs", payment: { id: payment, status }, ...(code && { error: { code, message } }) });
} else if (done && back) {
  setTimeout(() => location.replace(back), 1500);
}

document.querySelector("form")?.addEventListener("submit", (event) => {
  if (event.submitter) event.submitter.setAttribute("aria-busy", "true");
});
