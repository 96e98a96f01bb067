// What all adapters do alike. The server puts this and one adapter into a function of `served`: the version, the origins
// that the acquirer's library may come from, and the words. An adapter gives itself to the script element that loads it.
const INVALID = { cardNumber: "INVALID_NUMBER", cardExpiry: "INVALID_EXPIRY", cardCvc: "INVALID_CVC" };
const KINDS = Object.keys(INVALID);
const BRANDS = ["visa", "mastercard", "amex", "elo", "hipercard", "diners", "discover"];
const LOST = { error: { code: "UNAVAILABLE" } };
const MOVED = "CARD_NEEDED_AGAIN"; // another acquirer has taken the payment over
const PATIENCE_MS = 6000;

const give = (adapter) => document.currentScript.dispatchEvent(new CustomEvent("onpay", { detail: adapter }));
const without = (given, nothing = undefined) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== nothing));

// True once the acquirer's library is there. Nobody but the server says where that may come from.
function library(address, integrity, isThere) {
  if (isThere()) return true;
  if (!URL.canParse(address) || !served.origins.includes(new URL(address).origin)) return false;
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.addEventListener("load", () => resolve(isThere()));
    const giveUp = () => (script.remove(), resolve(false));
    script.addEventListener("error", giveUp);
    setTimeout(giveUp, PATIENCE_MS);
    if (integrity) Object.assign(script, { integrity, crossOrigin: "anonymous" });
    script.src = address;
    document.head.append(script);
  });
}

function failed(code, locale, more) {
  const words = served.words[locale];
  return { error: { code, message: words[code] ?? words.REFUSED, ...more } };
}

const pause = (ms) => new Promise((resume) => { setTimeout(resume, ms); });

// What the server says; while the payment moves to another acquirer it is asked again.
async function said(ask, given) {
  for (let left = 12; ; left -= 1) {
    const answer = (await ask(given)) ?? LOST;
    if (!answer.isMoving || !left) return answer;
    await pause(3000);
  }
}

// Fields that cannot be mounted are closed by the server, and another acquirer may take over.
const askElsewhere = async ({ ask, clientSecret }) =>
  (await said((body) => ask("confirm", clientSecret, body), { fieldsUnavailable: true })).session;

const orElsewhere = (open) => async (given, tools) => {
  const known = { ...tools, clientSecret: given.clientSecret ?? tools.clientSecret };
  const card = await open(given, known);
  const session = !card && (await askElsewhere(known));
  return session ? tools.openAcquirer({ ...tools, ...session }) : card;
};

// What the server says to a confirmation: `{payment}`, `{error}`, or `{action}` for the acquirer's library; where another
// acquirer has taken over, also its `{session}`. What was lost or is not decided is asked again: it can only charge once.
/** @returns {Promise<any>} */
async function settle(ask, given, locale) {
  for (let left = 3; ; left -= 1) {
    const { action, payment, session, error } = await said(ask, given);
    if (session) return { ...failed(MOVED, locale), session };
    const isLost = error?.code === LOST.error.code;
    if (isLost && left < 3) return failed("OUTCOME_UNKNOWN", locale);
    const isOpen = payment?.status === "ACTION_REQUIRED" && left;
    if (action) return { action };
    if (!isLost && !isOpen) return without({ payment, ...(error && failed(error.code, locale)) });
    await pause(1000);
  }
}

// The three fields of a card. The types are those of the acquirers' own packages: tests/clients compiles adapters.
class Card {
  #fields = new Map();
  #next = null; // the card of the acquirer that has taken over
  #closed = null;

  constructor(fields, tools) {
    this.given = fields;
    this.tools = tools;
  }

  field(kind, container, hear, look) {
    if (this.#next) return this.#next.field(kind, container, hear, look);
    const field = { kind, container, hear, look, told: "", is: { complete: false, empty: true }, moved: null };
    this.#fields.set(kind, field);
    field.input = this.put(field, container, look);
    const say = (message) => (field.moved ? field.moved.say(message) : this.#say(field, message));
    const remove = () => {
      this.#fields.delete(kind);
      (field.moved ?? field.input).remove();
    };
    return { say, remove };
  }

  #say(field, { type, request, ...message }) {
    const { hear, input } = field;
    if (type === "confirm") this.confirm().then((outcome) => hear({ type: "result", request, ...outcome }));
    else if (type === "update") input.update((field.look = message));
    else input[type]?.();
  }

  /** Mounts one; what the adapter returns is what can be done with it. @returns {any} */
  put(field, container, look) {}

  /** Ends as `settle` does. @returns {Promise<any>} */
  async charge() {}

  /** The same, of a card that is saved and waits for its holder. @returns {Promise<any>} */
  async chargeSaved() {}

  get fields() {
    return this.#fields;
  }

  settle(given) {
    const { ask, clientSecret, locale } = this.tools;
    return settle((body) => ask("confirm", clientSecret, body), given, locale);
  }

  async confirm() {
    return this.#problem() ?? this.#decided(await this.charge());
  }

  async confirmSaved() {
    return this.#decided(await this.chargeSaved());
  }

  // Where the acquirer knows of no confirmation nothing can have been charged.
  async #decided({ session, ...outcome }) {
    if (outcome.error?.code === MOVED) return (await this.#move(session)) ? outcome : this.failed("FIELDS_UNAVAILABLE");
    return outcome.payment?.status === "ACTION_REQUIRED" ? this.failed("CONNECTION_LOST") : outcome;
  }

  /**
   * What a field is like now; the shop hears of it if that is news. `wrong` is "short", or "" where it is just wrong.
   * @param {any} field
   * @param {{complete: boolean, empty: boolean, brand?: string, wrong?: string}} now
   */
  changed(field, now) {
    const { complete, empty, brand, wrong } = now;
    field.is = { complete, empty, ...(brand && { brand: BRANDS.includes(brand) ? brand : "unknown" }) };
    if (wrong !== undefined) Object.assign(field.is, this.#mistake(field.kind, wrong));
    this.#tell(field);
  }

  // `{error}` of a refusal by code, in the payer's language.
  failed(code, more) {
    return failed(code, this.tools.locale, more);
  }

  async unavailable(field, wasReady = false) {
    if (!wasReady) this.#closed ??= askElsewhere(this.tools).then((session) => session && this.#move(session));
    if (!(await this.#closed)) field.hear({ type: "error", ...this.failed("FIELDS_UNAVAILABLE") });
  }

  // Mounts the fields of the acquirer that has taken over where those of this one are: they are empty.
  async #move(known) {
    const { ask, clientSecret, openAcquirer } = this.tools;
    const session = known ?? (await ask("confirm", clientSecret, {}))?.session;
    const next = session && (await openAcquirer({ ...this.tools, ...session }));
    if (!next || next.error) return false;
    this.#next = next;
    for (const field of this.#fields.values()) {
      field.input.remove();
      this.changed(field, { complete: false, empty: true });
      field.moved = next.field(field.kind, field.container, field.hear, field.look);
    }
    return true;
  }

  #mistake(kind, wrong) {
    const code = INVALID[kind];
    const message = served.words[this.tools.locale][wrong ? `${code}_${wrong}` : code];
    return { error: { code, message } };
  }

  #tell(field) {
    const now = JSON.stringify(field.is);
    if (now !== field.told) field.hear({ type: "change", ...field.is });
    field.told = now;
  }

  // What is not complete says so before anything is sent; the first of them gets the focus.
  #problem() {
    const wrong = KINDS.map((kind) => this.#fields.get(kind)).filter((field) => !field.is.complete);
    if (!wrong.length) return null;
    for (const field of wrong) {
      if (!field.is.error) Object.assign(field.is, this.#mistake(field.kind, "short"));
      this.#tell(field);
    }
    wrong[0].input.focus();
    return { error: { ...wrong[0].is.error, field: wrong[0].kind } };
  }
}
