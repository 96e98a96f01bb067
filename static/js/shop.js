// The demo shop: makes a payment, shows what the payer needs, and looks every second how it goes.
"use strict";

const at = (id) => document.getElementById(id);
const [ways, said, BANK] = ["ways", "said-texts", "bank-texts"].map((id) => JSON.parse(at(id).textContent));
const language = document.documentElement.lang;
const csrf = document.querySelector("meta[name=csrf-token]").content;

const AMOUNTS = { BRL: 150, MXN: 2500, EUR: 25, COP: 150000, ARS: 85000, USD: 30 };
const FINAL = ["PAID", "FAILED", "EXPIRED", "REFUNDED"];
const CARDS = ["CREDIT_CARD", "DEBIT_CARD"];

let watched = null; // id of the payment on the page
let shown = ""; // what the instructions were drawn from
let instead = null; // id of the payment that ended, whose order is paid another way
let ending = 0; // looks left once the payment has ended: its last events are still on their way

// ── Small pieces of page ──────────────────────────────────────────────────────────────────────────────────────────

function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

const copier = (text, label = said.copy) => {
  const button = make("button", { type: "button", className: "copy", textContent: label });
  button.dataset.copy = text;
  return button;
};

const fact = (title, text) => {
  const value = make("dd", {}, make("span", { textContent: text }), copier(text));
  return make("div", {}, make("dt", { textContent: title }), value);
};

const due = ({ dueDate }) => (dueDate ? [fact(said.due, dueDate)] : []);

const money = (amount, currency) =>
  new Intl.NumberFormat(language, { style: "currency", currency, minimumFractionDigits: 2 }).format(amount);

const payButton = (amount, currency) => said.payAmount.replace("%(amount)s", money(amount, currency));

const hour = (moment) => new Date(moment).toLocaleTimeString(language, { hour12: false });

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy).catch(() => {});
  button.classList.add("copied");
  at("said").textContent = said.copied;
  setTimeout(() => {
    button.classList.remove("copied");
    at("said").textContent = "";
  }, 1200);
});

for (const code of document.querySelectorAll("[data-card]")) {
  code.textContent = code.dataset.card.replace(/(.{4})(?=.)/g, "$1 ");
}

// ── Choosing ──────────────────────────────────────────────────────────────────────────────────────────────────────

const choice = (group, value, title) => {
  const input = make("input", { type: "radio", name: group, value });
  return make("label", {}, input, title);
};

const chosen = (group) => at("choose").elements[group]?.value;

function offerMethods(currency) {
  const before = chosen("method");
  const offered = ways.filter((way) => way.currency === currency);
  at("methods").replaceChildren(
    ...offered.map((way) => choice("method", way.method, way.title)),
  );
  const kept = offered.some((way) => way.method === before) ? before : offered[0].method;
  at("choose").querySelector(`[name=method][value="${kept}"]`).checked = true;
  at("unit").textContent = currency;
  at("amount").value = AMOUNTS[currency] ?? 100;
  priceButton();
}

function priceButton() {
  const amount = at("amount").valueAsNumber;
  at("pay").textContent = amount > 0 ? payButton(amount, chosen("currency")) : said.pay;
}

function offer() {
  const currencies = [...new Set(ways.map((way) => way.currency))];
  at("currencies").replaceChildren(...currencies.map((currency) => choice("currency", currency, currency)));
  at("currencies").querySelector("input").checked = true;
  at("currencies").addEventListener("change", () => offerMethods(chosen("currency")));
  at("amount").addEventListener("input", priceButton);
  offerMethods(currencies[0]);
}

// ── Asking the shop's backend ─────────────────────────────────────────────────────────────────────────────────────

async function ask(path, body) {
  const headers = { accept: "application/json", "content-type": "application/json", "x-csrftoken": csrf };
  const call = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  try {
    const answer = await fetch(`/demo/shop/payments${path}`, call);
    const told = await answer.json();
    return answer.ok ? { told } : { refused: told.error ?? { message: said.misunderstood } };
  } catch {
    return { refused: { message: said.unreachable } };
  }
}

function complain(place, refused) {
  place.textContent = refused ? refused.message : "";
  if (!refused?.code) return;
  place.append(" ", make("a", { href: `/docs/errors#${refused.code}`, textContent: refused.code }));
}

at("choose").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = at("pay");
  button.disabled = true;
  const order = { method: chosen("method"), currency: chosen("currency"), amount: at("amount").valueAsNumber, instead };
  const { told, refused } = await ask("", order);
  button.disabled = false;
  complain(at("refused"), refused);
  if (!told) return;
  [instead, at("again").textContent] = [null, ""];
  follow(told.data ?? told);
});

at("end").addEventListener("click", async () => {
  const { told, refused } = await ask(`/${watched}/end`, {});
  complain(at("not-ended"), refused);
  look();
  if (told?.payment.status !== "EXPIRED") return;
  instead = told.payment.id;
  at("again").textContent = said.again.replace("%(reference)s", told.payment.reference);
  at("choose").elements.method[0]?.focus();
});

for (const button of document.querySelectorAll("[data-simulate]")) {
  button.addEventListener("click", async () => {
    const { refused } = await ask(`/${watched}/simulation`, { status: button.dataset.simulate });
    complain(at("not-simulated"), refused);
    look();
  });
}

// ── Watching ──────────────────────────────────────────────────────────────────────────────────────────────────────

function follow(payment) {
  [watched, shown, ending] = [payment.id, "", 6];
  at("states").replaceChildren();
  at("events").replaceChildren(make("li", { className: "none", textContent: said.none }));
  history.replaceState(null, "", `?paymentId=${payment.id}`);
  draw(payment, []);
  if (innerWidth < 960) at("act").scrollIntoView({ behavior: "smooth" });
  look();
}

let timer = null;

async function look() {
  clearTimeout(timer);
  const id = watched;
  const { told } = await ask(`/${id}`);
  if (id !== watched) return;
  if (told) draw(told.payment, told.events);
  if (told && FINAL.includes(told.payment.status)) ending -= 1;
  if (ending > 0) timer = setTimeout(look, 1000);
}

function draw(payment, events) {
  at("seen").hidden = false;
  const status = at("status");
  if (status.dataset.status !== payment.status || !at("states").children.length) {
    status.dataset.status = payment.status;
    status.textContent = payment.status + (payment.failure ? ` · ${payment.failure.code}` : "");
    at("states").append(moment(payment.status, payment.updatedAt));
  }
  at("id").dataset.copy = payment.id;
  at("id").firstChild.textContent = payment.id;
  const known = at("events").querySelectorAll("li:not(.none)").length;
  if (events.length && !known) at("events").replaceChildren();
  at("events").append(...events.slice(known).map((event) => moment(event.type, event.at)));
  at("raw").textContent = JSON.stringify(payment, null, 2);
  instruct(payment);
}

const moment = (title, when) =>
  make("li", { className: "new" }, title, make("time", { dateTime: when, textContent: hour(when) }));

// ── What the payer needs ──────────────────────────────────────────────────────────────────────────────────────────

function instruct(payment) {
  const isCard = CARDS.includes(payment.method);
  const isOpen = ["PENDING", "ACTION_REQUIRED"].includes(payment.status);
  at("payer").hidden = isCard || !isOpen;
  at("another").hidden = !isOpen;
  at("cards").hidden = !isCard || !payment.nextAction?.clientSecret;
  const drawn = JSON.stringify([payment.id, payment.status, payment.nextAction?.clientSecret, payment.bankDetails]);
  if (drawn === shown) return;
  shown = drawn;
  const parts = isOpen ? needs(payment, isCard) : ended(payment);
  at("instructions").classList.toggle("empty", parts.every((part) => part.tagName === "P"));
  at("instructions").dataset.status = payment.status;
  at("instructions").replaceChildren(...parts);
  if (payment.nextAction?.integrationMode === "SECURE_FIELDS" && isOpen) mountFields(payment);
}

const says = (text) => make("p", { textContent: text });
const link = (address, text) =>
  make("a", { className: "button primary", href: address, target: "_blank", rel: "noopener", textContent: text });

function ended({ status, amount, currency, failure }) {
  const texts = {
    PAID: said.PAID.replace("%(amount)s", money(amount, currency)),
    FAILED: failure?.message ?? said.FAILED,
    EXPIRED: said.EXPIRED,
    AUTHORIZED: said.AUTHORIZED,
  };
  return [says(texts[status] ?? status)];
}

function needs(payment, isCard) {
  const { nextAction: next } = payment;
  if (payment.pixQrCode && payment.method === "PIX") {
    return [
      make("img", { className: "qr", src: payment.pixQrCode, alt: said.qr }),
      make("dl", { className: "facts" }, fact(said.pix, payment.pixCopyPaste), ...due(payment)),
    ];
  }
  if (payment.digitableLine) {
    const facts = [fact(said.line, payment.digitableLine), ...due(payment)];
    return [make("dl", { className: "facts" }, ...facts), link(payment.pdfUrl, said.pdf)];
  }
  if (payment.bankDetails) {
    const facts = Object.entries(BANK).filter(([name]) => payment.bankDetails[name]);
    const rows = facts.map(([name, title]) => fact(title, payment.bankDetails[name]));
    return [make("dl", { className: "facts" }, ...rows, fact(said.amount, String(payment.amount)))];
  }
  if (payment.mbWay) return [says(said.mbWay.replace("%(phone)s", payment.mbWay.phone))];
  if (next?.redirectUrl) {
    return [says(said.redirect), link(next.redirectUrl, said.toCheckout)];
  }
  if (next?.integrationMode === "HOSTED") {
    return [says(said.hosted), link(next.checkoutUrl, said.toCard)];
  }
  if (next?.clientSecret) return [cardForm(payment)];
  if (payment.status === "ACTION_REQUIRED") return [says(said.review)];
  return [says(isCard ? said.silent : said.prepared)];
}

// ── The card, with the SDK ────────────────────────────────────────────────────────────────────────────────────────

const FIELDS = ["cardNumber", "cardExpiry", "cardCvc"];

function cardForm({ amount, currency }) {
  const labelled = (kind) => {
    const label = make("label", { htmlFor: kind, textContent: said[kind] });
    const wrong = make("p", { className: "problem", id: `${kind}-error` });
    wrong.setAttribute("aria-live", "polite");
    return make("div", { className: "labelled" }, label, make("div", { className: "box", id: kind }), wrong);
  };
  const problem = make("p", { className: "problem", id: "card-problem" });
  problem.setAttribute("role", "alert");
  const pair = make("div", { className: "pair" }, labelled("cardExpiry"), labelled("cardCvc"));
  const button = make("button", { className: "primary", textContent: payButton(amount, currency) });
  return make("form", { id: "card", noValidate: true }, labelled("cardNumber"), pair, problem, button);
}

function mountFields({ nextAction: { clientSecret } }) {
  if (!window.OnpayCard) return complain(at("card-problem"), { message: said.noSdk });
  const elements = OnpayCard.elements({ clientSecret, locale: language.slice(0, 2) });
  for (const kind of FIELDS) {
    const wrong = at(`${kind}-error`);
    const field = elements.create(kind);
    field.on("change", ({ error }) => { wrong.textContent = error?.message ?? ""; });
    field.on("error", ({ error }) => complain(at("card-problem"), { message: error.message }));
    field.mount(`#${kind}`);
  }
  at("card").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = at("card").querySelector("button");
    button.disabled = true;
    const { error } = await OnpayCard.confirmCardPayment({ clientSecret, elements });
    button.disabled = false;
    if (error && !error.field && at("card-problem")) at("card-problem").textContent = error.message;
    look();
  });
}

offer();
const back = new URLSearchParams(location.search).get("paymentId");
if (back) ask(`/${encodeURIComponent(back)}`).then(({ told }) => told && follow(told.payment));
