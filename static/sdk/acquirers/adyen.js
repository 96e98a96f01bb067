// Cards by Adyen: its custom card component, whose fields encrypt what is typed. https://docs.adyen.com/online-payments
const LOCALES = { pt: "pt-BR", es: "es-ES", en: "en-US" };
const SECURED = { cardNumber: "encryptedCardNumber", cardExpiry: "encryptedExpiryDate", cardCvc: "encryptedSecurityCode" };
const OFFERED = ["visa", "mc", "amex", "elo", "hipercard", "diners", "discover"];
const SHORT = /\.9[012][01](\.amex)?$|^err\.gen\.9100$/; // Adyen's codes of fields that are empty or not complete

// Property by property: a strict policy of the shop for styles does not stop that.
const plain = (frame) =>
  Object.assign(frame?.style ?? {}, { display: "block", width: "100%", height: "100%", border: "0", colorScheme: "light" });
const kindOf = (secured) => KINDS.find((kind) => SECURED[kind] === secured);

function open(given, tools) {
  const { clientKey, environment, country } = given;
  return window.AdyenWeb.AdyenCheckout({
    clientKey, environment, countryCode: country, locale: LOCALES[tools.locale], analytics: { enabled: false },
  });
}

class AdyenCard extends Card {
  /** @type {import("@adyen/adyen-web").CustomCard | null} */
  #component = null;
  /** @type {import("@adyen/adyen-web").ICore | null} */
  checkout = null;
  #look = null;
  #placeholders = {};

  static async open(given, tools) {
    if (!(await library(given.script, given.integrity, () => window.AdyenWeb))) return null;
    const card = new AdyenCard(given, tools);
    card.checkout = await open(given, tools).catch(() => null);
    return card.checkout && card;
  }

  put(field, container, look) {
    const holder = document.createElement("div");
    holder.dataset.cse = SECURED[field.kind];
    Object.assign(holder.style, { height: "1.5em", overflow: "hidden" });
    new MutationObserver(() => plain(holder.firstElementChild)).observe(holder, { childList: true });
    field.holder = holder;
    this.#see(field, look);
    container.append(holder);
    if (KINDS.every((kind) => kind === field.kind || this.fields.get(kind)?.holder)) this.#mount();
    return {
      update: (changed) => {
        this.#see(field, changed);
        this.#component?.updateStyles(this.#look);
      },
      focus: () => this.#component?.setFocusOn(SECURED[field.kind]),
      blur: () => holder.contains(document.activeElement) && holder.querySelector("iframe")?.blur(),
      clear: () => this.#mount(), // the component empties all of its fields or none
      remove: () => {
        this.#unmount();
        holder.remove();
      },
    };
  }

  async charge() {
    // 3DS is shown by our own page, so that is where the bank must answer to.
    const state = { ...this.#component.data, origin: this.tools.origin };
    return this.#answered(await this.settle({ acquirer: state }));
  }

  async chargeSaved() {
    return this.#answered(await this.settle({}));
  }

  #answered(outcome) {
    if (!outcome.action) return outcome;
    const { origin, payment, words, clientSecret, locale, authenticate } = this.tools;
    const said = { action: outcome.action, fields: this.given, clientSecret, locale, title: words.bank };
    const order = { onpay: 2, type: "act", ...said };
    return authenticate(`${origin}/sdk/v1/3ds/acquirer/${payment}`, payment, words, order);
  }

  // The look of a card is one at Adyen: that of the number.
  #see({ kind, holder }, { style, placeholder, disabled }) {
    const { placeholderColor, backgroundColor, ":focus": _, ":invalid": invalid, ...base } = style;
    holder.inert = disabled ?? false;
    if (placeholder !== undefined) this.#placeholders[kind] = placeholder;
    if (this.#look && kind !== "cardNumber") return;
    this.#look = {
      base: without({ ...base, background: backgroundColor }),
      placeholder: without({ color: placeholderColor }),
      ...(invalid && { error: without({ color: invalid.color, background: invalid.backgroundColor }) }),
    };
  }

  // Adyen looks for the fields in one element, and takes every Enter there for its own. They are where the shop wants
  // them, so that element is one in no page, which finds them.
  #root() {
    const holders = KINDS.map((kind) => this.fields.get(kind).holder);
    const found = (selector) => holders.filter((holder) => holder.matches(selector));
    return Object.assign(document.createElement("div"), {
      querySelector: (selector) => found(selector)[0] ?? null,
      querySelectorAll: found,
    });
  }

  #mount() {
    this.#unmount();
    const { cardNumber, cardExpiry: expiryDate, cardCvc } = this.#placeholders;
    const placeholders = { cardNumber, expiryDate, securityCodeThreeDigits: cardCvc, securityCodeFourDigits: cardCvc };
    const every = (tell) => this.fields.forEach(tell);
    const typed = new Map(); // how many characters, as far as that is known
    let [isReady, brand, last] = [false, "card", null];
    const tell = () => isReady && every((field) => this.#state(field, last, typed, brand));
    this.#component = new window.AdyenWeb.CustomCard(this.checkout, {
      brands: OFFERED,
      autoFocus: false,
      styles: this.#look,
      placeholders: without(placeholders),
      onConfigSuccess: () => {
        isReady = true;
        every((field) => field.hear({ type: "ready" }));
        tell();
      },
      onError: (error) => error.name !== "CANCEL" && every((field) => this.unavailable(field, isReady)),
      onEnterKeyPressed: () => this.fields.get("cardNumber").hear({ type: "enter" }),
      onBrand: (found) => { brand = found.brand; tell(); },
      onChange: (state) => { last = state; tell(); },
      onBinValue: ({ binValue }) => typed.set("cardNumber", binValue.length),
      onFocus: ({ fieldType, focus, numChars }) => {
        const field = this.fields.get(kindOf(fieldType));
        typed.set(field.kind, numChars);
        field.hear({ type: focus ? "focus" : "blur" });
        if (!focus) tell();
      },
    });
    this.#component.mount(this.#root());
  }

  #unmount() {
    this.#component?.remove();
    this.#component = null;
    for (const { holder } of this.fields.values()) holder?.replaceChildren();
  }

  #state(field, state, typed, brand) {
    const { valid = {}, errors = {} } = state ?? {};
    const secured = SECURED[field.kind];
    const complete = field.kind === "cardExpiry"
      ? Boolean(valid.encryptedExpiryMonth && valid.encryptedExpiryYear)
      : Boolean(valid[secured]);
    const error = errors[secured]?.error;
    const wrong = error && (SHORT.test(error) ? "short" : "");
    const isNumber = field.kind === "cardNumber";
    const empty = !complete && !typed.get(field.kind) && !(isNumber && brand !== "card");
    const known = isNumber ? { brand: brand === "mc" ? "mastercard" : brand } : {};
    this.changed(field, { complete, empty, wrong, ...known });
  }
}

// On our own page for 3DS: what its library makes of the action is confirmed, until there is an outcome. With a
// bank's own page the library would leave ours.
async function act({ action, fields, locale }, node, ask, visit) {
  const isThere = await library(fields.script, fields.integrity, () => window.AdyenWeb);
  const checkout = isThere && (await open(fields, { locale }).catch(() => null));
  for (let outcome = { action }; checkout; ) {
    const { action: asked } = outcome;
    const answer = asked.type === "redirect" ? visit(asked) : shown(checkout, asked, node);
    const details = await answer.catch(() => null);
    if (!details) break;
    outcome = await settle(ask, { acquirer: details }, locale);
    if (!outcome.action) return outcome;
  }
  return failed("FIELDS_UNAVAILABLE", locale);
}

const shown = (checkout, action, node) => new Promise((resolve, reject) => {
  const asked = { onAdditionalDetails: ({ data }) => resolve(data), onError: reject, challengeWindowSize: "05" };
  checkout.createFromAction(action, asked).mount(node);
});

give(Object.assign(orElsewhere(AdyenCard.open), { act }));
