// Cards by Adyen: its custom card component, whose fields encrypt what is typed. https://docs.adyen.com/online-payments
const LOCALES = { pt: "pt-BR", es: "es-ES", en: "en-US" };
const SECURED = { cardNumber: "encryptedCardNumber", cardExpiry: "encryptedExpiryDate", cardCvc: "encryptedSecurityCode" };
const OFFERED = ["visa", "mc", "amex", "elo", "hipercard", "diners", "discover"];
const SHORT = /\.9[012][01](\.amex)?$|^err\.gen\.9100$/; // Adyen's codes of fields that are empty or not complete

const kindOf = (secured) => KINDS.find((kind) => SECURED[kind] === secured);

function open(given, tools) {
  const { clientKey, environment, country } = given;
  return window.AdyenWeb.AdyenCheckout({
    clientKey, environment, countryCode: country, locale: LOCALES[tools.locale], analytics: { enabled: false },
  });
}

class AdyenCard extends Card {
  #component = null;
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
    Object.assign(holder.style, { height: "1.5em" });
    field.holder = holder;
    this.#see(field, look);
    container.append(holder);
    if (KINDS.every((kind) => kind === field.kind || this.fields.get(kind).holder)) this.#mount();
    return {
      update: (changed) => {
        this.#see(field, changed);
        this.#component?.updateStyles(this.#look);
      },
      focus: () => this.#component?.setFocusOn(SECURED[field.kind]),
      blur: () => document.activeElement?.blur(),
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

  async confirmSaved() {
    return this.#answered(await this.settle({}));
  }

  #answered(outcome) {
    if (!outcome.action) return outcome;
    const { origin, payment, words, clientSecret, locale, authenticate } = this.tools;
    const order = { onpay: 2, type: "act", action: outcome.action, fields: this.given, clientSecret, locale };
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
    let brand = "card";
    let last = null;
    const tell = () => every((field) => this.#state(field, last, typed, brand));
    this.#component = new window.AdyenWeb.CustomCard(this.checkout, {
      type: "card",
      brands: OFFERED,
      autoFocus: false,
      styles: this.#look,
      placeholders: without(placeholders),
      onConfigSuccess: () => every((field) => field.hear({ type: "ready" })),
      onError: (error) => error.name !== "CANCEL" && every((field) => this.unavailable(field)),
      onEnterKeyPressed: () => this.fields.get("cardNumber").hear({ type: "enter" }),
      onBrand: (found) => { brand = found.brand; tell(); },
      onChange: (state) => { last = state; tell(); },
      onFocus: ({ fieldType, focus, numChars }) => {
        const field = this.fields.get(kindOf(fieldType));
        typed.set(field.kind, numChars);
        field.hear({ type: focus ? "focus" : "blur" });
        if (!focus) tell();
      },
    });
    this.#component.mount(this.#root());
    for (const { holder } of this.fields.values()) {
      for (const frame of holder.children) {
        Object.assign(frame.style, { display: "block", width: "100%", height: "100%", border: "0", colorScheme: "light" });
      }
    }
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
    const empty = !complete && !typed.get(field.kind);
    const known = field.kind === "cardNumber" ? { brand: brand === "mc" ? "mastercard" : brand } : {};
    this.changed(field, { complete, empty, wrong, ...known });
  }
}

// On our own page for 3DS: what its library makes of the action is confirmed, until there is an outcome.
async function act({ action, fields, locale }, node, ask) {
  if (!(await library(fields.script, fields.integrity, () => window.AdyenWeb))) return failed("FIELDS_UNAVAILABLE", locale);
  const checkout = await open(fields, { locale });
  for (let next = action; ;) {
    const details = await new Promise((resolve, reject) => {
      const asked = { onAdditionalDetails: ({ data }) => resolve(data), onError: reject, challengeWindowSize: "05" };
      checkout.createFromAction(next, asked).mount(node);
    });
    const outcome = await settle(ask, { acquirer: details }, locale);
    if (!outcome.action) return outcome;
    next = outcome.action;
  }
}

give(Object.assign(AdyenCard.open, { act }));
