// What an acquirer's library asks the holder of a card, in a frame of our own origin: only its policy lets the frames of
// every bank in. The page around it says what is asked, and hears how the payment ended.
"use strict";

const { shop, sdk } = document.body.dataset;
const node = document.getElementById("action");
const adapter = new Promise((resolve) => {
  const script = document.getElementById("adapter");
  script.addEventListener("onpay", ({ detail }) => resolve(detail));
  script.addEventListener("error", () => resolve({}));
});
let around = null; // the page that said what is asked

function tell(about) {
  const origins = around ? [around] : new Set([shop, sdk]);
  for (const origin of origins) window.parent.postMessage({ onpay: 2, ...about }, origin);
}

const confirmAs = (secret) => async (given) => {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const call = { method: "POST", headers, body: JSON.stringify(given), credentials: "omit", cache: "no-store" };
  try {
    return await (await fetch("/sdk/v1/confirm", call)).json();
  } catch {
    return null;
  }
};

// The bank's own page, which sends the holder back to an address of ours: what it says there. It has a frame in this page,
// whose policy lets it in: a strict policy of the shop says where this page itself may go.
const visit = ({ url, method, data = {} }) => new Promise((resolve) => {
  const frame = Object.assign(document.createElement("iframe"), { name: "bank", title: document.title });
  frame.addEventListener("load", () => {
    const redirectResult = returned(frame.contentWindow)?.get("redirectResult");
    if (redirectResult) resolve({ details: { redirectResult } });
  });
  node.replaceChildren(frame);
  if (method !== "POST") return frame.setAttribute("src", url);
  const form = Object.assign(document.createElement("form"), { action: url, method, target: frame.name, hidden: true });
  for (const [name, value] of Object.entries(data)) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  node.append(form);
  return form.submit();
});

function returned(bank) {
  try {
    return new URLSearchParams(bank.location.search);
  } catch {
    return null; // it is still there, where nobody can look into it
  }
}

window.addEventListener("message", async ({ source, origin, data }) => {
  if (source !== window.parent || ![shop, sdk].includes(origin) || around) return;
  if (typeof data !== "object" || data === null || data.onpay !== 2 || data.type !== "act") return;
  around = origin;
  document.documentElement.lang = data.locale;
  document.title = document.querySelector("h1").textContent = data.title;
  const { act } = await adapter;
  if (act) tell({ type: "threeDs", ...(await act(data, node, confirmAs(data.clientSecret), visit)) });
  else tell({ type: "threeDsLeave" });
});
document.addEventListener("keydown", (event) => event.key === "Escape" && tell({ type: "threeDsLeave" }));
