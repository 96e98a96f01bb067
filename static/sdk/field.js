// One input of a card, in a frame of its own. The shop's page hears what the field is like, never what is in it. The
// frame of the number reads its siblings, which are of the same origin, and charges the card.
const { kind, shop, sdk } = document.body.dataset;
const input = document.getElementById("field");
const texts = Object.fromEntries(
  [...document.getElementById("texts").content.children].map((text) => [text.dataset.code, text.textContent]),
);
const payment = location.pathname.split("/").at(-2);

const BRANDS = [ // in this order: the first that fits counts
  ["amex", /^3[47]/, [15], [4, 6, 5]],
  ["elo", /^(4011|4312|4389|5041|5066|5067|509|6277|636[23]|650|6516|6550)/, [16]],
  ["hipercard", /^(3841|6062)/, [16]],
  ["diners", /^(36|38|30[0-5])/, [14], [4, 6, 4]],
  ["discover", /^(6011|64[4-9]|65)/, [16]],
  ["mastercard", /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  ["visa", /^4/, [13, 14, 15, 16, 17, 18, 19]],
];
const UNKNOWN = ["unknown", /^/, [13, 14, 15, 16, 17, 18, 19]];

const digitsOf = (text) => text.replace(/\D/g, "");

function isLuhn(digits) {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function grouped(digits, groups) {
  const parts = [];
  for (let at = 0, group = 0; at < digits.length; group += 1) {
    const size = groups?.[group] ?? 4;
    parts.push(digits.slice(at, at + size));
    at += size;
  }
  return parts.join(" ");
}

// Each kind: how a text is written, and what is wrong with it (an empty one is no mistake while typing).
const number = {
  brand: (digits) => BRANDS.find(([, starts]) => starts.test(digits)) ?? UNKNOWN,
  write(text) {
    const typed = digitsOf(text);
    const [, , lengths, groups] = number.brand(typed);
    return grouped(typed.slice(0, lengths.at(-1)), groups);
  },
  wrong(text) {
    const digits = digitsOf(text);
    const [, , lengths] = number.brand(digits);
    if (lengths.includes(digits.length) && isLuhn(digits)) return null;
    return ["INVALID_NUMBER", digits.length < lengths[0] ? "short" : ""];
  },
};

const expiry = {
  // 1/27, 01 / 2027, 0127: the month gets its zero as soon as it can be no other.
  write(text) {
    const [, month = "", slash = "", year = ""] = /^\D*(\d{0,2})\D*?([/.\-\s]?)\D*(\d*)/.exec(text) ?? [];
    let [months, years] = [month, year];
    if (/^[2-9]/.test(months) || (months.length === 1 && slash)) {
      [months, years] = [`0${months[0]}`, months.slice(1) + years];
    }
    if (/^1[3-9]/.test(months)) [months, years] = ["01", months[1] + years];
    if (months === "00") months = "0";
    if (months.length < 2) return months;
    years = years.slice(0, years.startsWith("20") ? 4 : 2);
    return `${months}/${years.length === 4 ? years.slice(2) : years}`;
  },
  read(text) {
    const [month, year = ""] = text.split("/");
    return { expMonth: Number(month), expYear: year.length === 2 ? 2000 + Number(year) : 0 };
  },
  wrong(text) {
    const { expMonth, expYear } = expiry.read(text);
    if (!expMonth || !expYear) return ["INVALID_EXPIRY", "short"];
    const today = new Date();
    const months = (expYear - today.getFullYear()) * 12 + expMonth - 1 - today.getMonth();
    return months >= 0 && months <= 12 * 50 ? null : ["INVALID_EXPIRY", ""];
  },
};

const code = {
  brand: "unknown",
  write: (text) => digitsOf(text).slice(0, code.brand === "amex" || code.brand === "unknown" ? 4 : 3),
  wrong(text) {
    const fits = { amex: [4], unknown: [3, 4] }[code.brand] ?? [3];
    return fits.includes(text.length) ? null : ["INVALID_CVC", "short"];
  },
};

const field = { cardNumber: number, cardExpiry: expiry, cardCvc: code }[kind];

// ── What the shop's page says and hears ───────────────────────────────────────────────────────────────────────────

const COLORS = ["color", "backgroundColor", "placeholderColor"];
const STATES = { ":focus": "focus-", ":invalid": "invalid-" };
const STYLES = {
  color: "color", backgroundColor: "background-color", placeholderColor: "placeholder-color", fontFamily: "font-family",
  fontSize: "font-size", fontWeight: "font-weight", letterSpacing: "letter-spacing", lineHeight: "line-height",
  textAlign: "text-align", padding: "padding",
};
const FUNCTIONS = /^(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)$/;

let collection = null; // its id, once the page has mounted this field
let origin = null;
let clientSecret = null;
let placeholder = null;
let mistake = null; // what is shown to be wrong
let told = "";

const isText = (value, longest) => typeof value === "string" && value.length <= longest;

function isSafe(name, value) {
  if (!/^[\w\s#.,%()"'/+-]{1,100}$/.test(value) || /\/[/*]|\\/.test(value)) return false;
  if ([...value.matchAll(/([\w-]*)\s*\(/g)].some(([, called]) => !FUNCTIONS.test(called))) return false;
  return CSS.supports(COLORS.includes(name) ? "color" : STYLES[name], value);
}

// Custom properties: the policy of this page allows no style but that of field.css.
function paint(style, prefix = "") {
  if (typeof style !== "object" || style === null) return;
  for (const [name, value] of Object.entries(style)) {
    if (!prefix && Object.hasOwn(STATES, name)) paint(value, STATES[name]);
    const isPlain = typeof value === "string" || typeof value === "number";
    if (!Object.hasOwn(STYLES, name) || !isPlain || !isSafe(name, String(value))) continue;
    document.documentElement.style.setProperty(`--${prefix}${STYLES[name]}`, String(value));
  }
}

function say(message) {
  if (collection) window.parent.postMessage({ onpay: 2, id: collection, ...message }, origin);
}

function look({ style, placeholder: text, disabled }) {
  paint(style);
  if (isText(text, 60)) placeholder = text;
  if (typeof disabled === "boolean") input.disabled = disabled;
  hint();
  measure();
}

function mount(message) {
  const isOurs = isText(message.clientSecret, 200) && message.clientSecret.startsWith(`${payment}_secret_`);
  if (collection || !isOurs || !/^[a-z]{20}$/.test(message.id)) return;
  [collection, clientSecret] = [message.id, message.clientSecret];
  look(message);
  meet();
  say({ type: "ready" });
  tell();
  if (kind === "cardNumber") greet();
}

const orders = {
  update: look,
  focus: () => input.focus(),
  blur: () => input.blur(),
  clear() {
    input.value = "";
    retyped();
  },
  confirm({ request }) {
    if (kind !== "cardNumber" || !isText(request, 40)) return;
    charge().then((outcome) => say({ type: "result", request, ...outcome }));
  },
};

window.addEventListener("message", (event) => {
  const { data } = event;
  if (event.source !== window.parent || ![shop, sdk].includes(event.origin)) return;
  if (typeof data !== "object" || data === null || data.onpay !== 2) return;
  if (!collection && data.type === "mount") {
    origin = event.origin;
    mount(data);
  } else if (event.origin === origin && data.id === collection && Object.hasOwn(orders, data.type)) {
    orders[data.type](data);
  }
});

function tell() {
  const about = { complete: Boolean(input.value) && !field.wrong(input.value), empty: !input.value };
  if (kind === "cardNumber") about.brand = brand();
  if (mistake) about.error = mistake;
  const now = JSON.stringify(about);
  if (now !== told) say({ type: "change", ...about });
  told = now;
}

function measure() {
  const px = input.getBoundingClientRect().height;
  if (px) say({ type: "height", px });
}

// ── The input ─────────────────────────────────────────────────────────────────────────────────────────────────────

const brand = () => number.brand(digitsOf(input.value))[0];

function refuse(errorCode, detail = "") {
  const message = texts[detail && `${errorCode}_${detail}`] || texts[errorCode];
  mistake = { code: errorCode, message };
  input.setAttribute("aria-invalid", "true");
  document.getElementById("error").textContent = message;
  tell();
}

function forgive() {
  mistake = null;
  input.removeAttribute("aria-invalid");
  document.getElementById("error").textContent = "";
}

// As many digits before the caret as before; at the end it stays at the end.
function rewrite() {
  const typed = input.value;
  const at = input.selectionStart ?? typed.length;
  const shown = field.write(typed);
  if (shown === typed) return;
  let left = digitsOf(typed.slice(0, at)).length;
  let caret = 0;
  while (caret < shown.length && left > 0) left -= /\d/.test(shown[caret++]) ? 1 : 0;
  input.value = shown;
  if (document.activeElement === input) {
    const end = at === typed.length ? shown.length : caret;
    input.setSelectionRange(end, end);
  }
}

function retyped() {
  rewrite();
  forgive();
  if (kind === "cardNumber") {
    showBrand();
    meet();
  }
  tell();
}

// A separator is ours: deleting across it deletes the digit behind it.
function onDelete(event) {
  const { selectionStart: at, selectionEnd, value } = input;
  const back = event.inputType === "deleteContentBackward";
  if ((!back && event.inputType !== "deleteContentForward") || at !== selectionEnd) return;
  const beside = back ? at - 1 : at;
  if (beside < 0 || beside >= value.length || /\d/.test(value[beside])) return;
  event.preventDefault();
  const digit = back ? beside - 1 : beside + 1;
  if (digit < 0 || digit >= value.length) return;
  const before = digitsOf(value.slice(0, digit));
  input.value = before + digitsOf(value.slice(digit + 1));
  input.setSelectionRange(before.length, before.length);
  retyped();
}

function check() {
  const wrong = input.value ? field.wrong(input.value) : null;
  if (wrong) refuse(...wrong);
}

input.addEventListener("beforeinput", onDelete);
input.addEventListener("input", (event) => event.isComposing || retyped());
input.addEventListener("change", retypedByTheBrowser);
input.addEventListener("focus", () => say({ type: "focus" }));
input.addEventListener("blur", () => {
  check();
  say({ type: "blur" });
});
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  check();
  say({ type: "enter" });
});

// Some browsers fill a saved card in without an input event.
function retypedByTheBrowser() {
  if (field.write(input.value) !== input.value) retyped();
}

function showBrand() {
  const shown = document.getElementById("brand");
  shown.dataset.brand = brand();
  shown.setAttribute("aria-label", brand() === "unknown" ? "" : brand());
}

function hint() {
  const digits = code.brand === "amex" ? "1234" : "123";
  input.placeholder =
    placeholder ?? { cardNumber: "1234 1234 1234 1234", cardExpiry: texts.MONTH_YEAR, cardCvc: digits }[kind];
}

// ── The other frames of the form ──────────────────────────────────────────────────────────────────────────────────

function siblings() {
  const found = {};
  for (let at = 0; at < window.parent.frames.length; at += 1) {
    try {
      const other = window.parent.frames[at].onpayField;
      if (other && other.collection() === collection) found[other.kind] = other;
    } catch {
      // of another origin: none of ours
    }
  }
  return found;
}

// The length of the code depends on the number, whichever of the two is there first.
function meet() {
  const { cardNumber, cardCvc } = siblings();
  if (cardNumber && cardCvc) cardCvc.expect(cardNumber.brand());
}

window.onpayField = Object.freeze({
  kind,
  brand,
  refuse,
  collection: () => collection,
  value: () => input.value,
  problem: () => field.wrong(input.value),
  clear: orders.clear,
  focus: orders.focus,
  expect(known) {
    if (kind !== "cardCvc" || code.brand === known) return;
    code.brand = known;
    hint();
    rewrite();
    tell();
  },
});

// ── Charging ──────────────────────────────────────────────────────────────────────────────────────────────────────

const failed = (errorCode, more) => ({ error: { code: errorCode, message: texts[errorCode] ?? texts.REFUSED, ...more } });

// The body of the answer with its HTTP status; null where none came or the service is down.
async function ask(path, body) {
  try {
    const answer = await fetch(`/sdk/v1/${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${clientSecret}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(30_000),
    });
    return answer.status < 500 ? { ...(await answer.json()), http: answer.status } : null;
  } catch {
    return null;
  }
}

// A form that can no longer be paid says so before a card is typed.
async function greet() {
  const session = await ask("session");
  if (session?.error) say({ type: "error", ...failed(session.error.code) });
}

function fieldsProblem(fields) {
  let first = null;
  for (const name of ["cardNumber", "cardExpiry", "cardCvc"]) {
    const problem = fields[name].problem();
    if (!problem) continue;
    fields[name].refuse(...problem);
    first ??= { name, code: problem[0], message: texts[problem.filter(Boolean).join("_")] };
  }
  if (!first) return null;
  fields[first.name].focus();
  return { error: { code: first.code, message: first.message, field: first.name } };
}

async function charge() {
  const fields = siblings();
  if (!fields.cardNumber || !fields.cardExpiry || !fields.cardCvc) return failed("FIELDS_UNAVAILABLE");
  const problem = fieldsProblem(fields);
  if (problem) return problem;
  const made = await ask("tokens", {
    number: digitsOf(fields.cardNumber.value()),
    ...expiry.read(fields.cardExpiry.value()),
    cvc: fields.cardCvc.value(),
  });
  if (!made) return failed("CONNECTION_LOST");
  if (made.error?.code === "SESSION_INVALID") return confirm(); // another page may have been faster: its outcome is ours
  if (made.error) return tokenRefused(made.error, fields);
  const outcome = await confirm(made.cardToken);
  if (outcome.payment) for (const one of Object.values(fields)) one.clear();
  return outcome;
}

function tokenRefused(error, fields) {
  if (!fields[error.field]) return failed(error.code);
  fields[error.field].refuse(error.code);
  fields[error.field].focus();
  return failed(error.code, { field: error.field });
}

// An answer that was lost is asked for once more with the same token: it can only charge once.
async function confirm(cardToken) {
  let answer = await ask("confirm", { cardToken });
  if (!answer) {
    await new Promise((resume) => { setTimeout(resume, 1000); });
    answer = await ask("confirm", { cardToken });
    if (answer?.http !== 200) return failed("OUTCOME_UNKNOWN");
  }
  const { payment: ended, threeDs, session, error } = answer;
  if (threeDs) return { threeDs };
  if (session) return again(session);
  return { ...(ended && { payment: ended }), ...(error && failed(error.code)) };
}

// Another acquirer has taken the payment over: the card is typed once more.
function again(session) {
  clientSecret = session.clientSecret;
  const fields = siblings();
  for (const one of Object.values(fields)) one.clear();
  fields.cardNumber.focus();
  return failed("CARD_NEEDED_AGAIN");
}

hint();
new ResizeObserver(measure).observe(input);
