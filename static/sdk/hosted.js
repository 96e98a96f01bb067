// The hosted card page: the same fields that a shop mounts, then the outcome and the way back.
"use strict";

const { secret, locale, color, back } = document.body.dataset;
const form = document.getElementById("card");
const left = document.getElementById("left");
const isFramed = window.parent !== window;
let isPaying = false;
// What leaves the payment open; any other answer is final.
const OPEN_AFTER = [
  "THREE_DS_ABANDONED", "CONNECTION_LOST", "FIELDS_UNAVAILABLE", "CARD_TOKEN_INVALID", "TOO_MANY_ATTEMPTS",
  "INVALID_REQUEST", "CARD_NEEDED_AGAIN",
];

// Only the shop may have this page in a frame.
function tell(about) {
  if (back) window.parent.postMessage({ onpay: 2, ...about }, new URL(back).origin);
}

// The company's colour, with the ink that is easier to read on it.
function paint() {
  const [, red, green, blue] = /^#(..)(..)(..)$/.exec(color) ?? [];
  if (!blue) return;
  const light = [red, green, blue].map((part) => {
    const share = parseInt(part, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  const style = document.documentElement.style;
  style.setProperty("--brand", color);
  style.setProperty("--on-brand", luminance > 0.18 ? "#0d141b" : "#fff");
}

function show(state, text) {
  form.hidden = true;
  for (const part of document.querySelectorAll("#time, #leave")) part.hidden = true;
  const outcome = document.querySelector(`[data-states~="${state}"]`) ?? document.querySelector("[data-states~=PENDING]");
  if (text) outcome.querySelector("p").textContent = text;
  outcome.hidden = false;
  outcome.focus();
  const link = document.getElementById("back");
  if (link) link.hidden = false;
  if (back && !isFramed) setTimeout(() => location.assign(back), 3000);
}

function countDown() {
  const ends = performance.now() + Number(left.dataset.seconds) * 1000;
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
    left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    left.classList.toggle("soon", seconds < 60);
    if (seconds > 0) return;
    clearInterval(timer);
    if (!form.hidden && !isPaying) show("EXPIRED");
  };
  const timer = setInterval(tick, 250);
  tick();
}

function mountFields() {
  const elements = OnpayCard.elements({ clientSecret: secret, locale });
  for (const kind of ["cardNumber", "cardExpiry", "cardCvc"]) {
    const wrong = document.getElementById(`${kind}-error`);
    elements
      .create(kind)
      .on("change", ({ error }) => { wrong.textContent = error?.message ?? ""; })
      .on("error", ({ error }) => (error.code === "SESSION_INVALID" ? show("EXPIRED") : complain(error.message)))
      .mount(`#${kind}`);
  }
  return elements;
}

function complain(text) {
  document.getElementById("problem").textContent = text;
}

async function pay(elements) {
  const button = form.querySelector("button");
  complain("");
  isPaying = button.disabled = true;
  button.setAttribute("aria-busy", "true");
  const outcome = await OnpayCard.confirmCardPayment({ clientSecret: secret, elements, locale });
  isPaying = button.disabled = false;
  button.removeAttribute("aria-busy");
  const { payment, error } = outcome;
  if (error?.field) return; // shown at the field, which has the focus
  if (error && OPEN_AFTER.includes(error.code)) return complain(error.message);
  if (isFramed) tell({ type: "hosted", ...outcome });
  show(payment ? payment.status : error.code === "OUTCOME_UNKNOWN" ? "PENDING" : "FAILED", error?.message);
}

paint();
if (left) countDown();
if (form) {
  const elements = form.dataset.needsCard ? mountFields() : undefined;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isPaying) pay(elements);
  });
}
if (isFramed) {
  const measure = () => tell({ type: "height", px: document.querySelector("main").offsetHeight + 32 });
  new ResizeObserver(measure).observe(document.querySelector("main"));
}
