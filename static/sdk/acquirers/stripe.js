// Cards by Stripe: its split elements, and its own 3DS. https://docs.stripe.com/js
const LOCALES = { pt: "pt-BR", es: "es-419", en: "en" };

class StripeCard extends Card {
  static async open(given, tools) {
    if (!(await library(given.script, null, () => window.Stripe))) return null;
    return new StripeCard(given, tools);
  }

  constructor(given, tools) {
    super(given, tools);
    const options = { locale: LOCALES[tools.locale], ...(given.account && { stripeAccount: given.account }) };
    this.stripe = window.Stripe(given.publicKey, options);
    this.elements = this.stripe.elements({ locale: options.locale });
  }

  put(field, container, look) {
    const kind = /** @type {"cardNumber"} */ (field.kind); // the other two have the same methods and events
    const element = this.elements.create(kind, this.#options(look));
    element.on("ready", () => field.hear({ type: "ready" }));
    element.on("focus", () => field.hear({ type: "focus" }));
    element.on("blur", () => field.hear({ type: "blur" }));
    element.on("loaderror", () => this.unavailable(field));
    element.on("change", ({ complete, empty, brand, error }) => {
      const wrong = error && (error.code.startsWith("incomplete") ? "short" : "");
      this.changed(field, { complete, empty, brand, wrong });
    });
    element.mount(container);
    return {
      update: (changed) => element.update(this.#options(changed)),
      focus: () => element.focus(),
      blur: () => element.blur(),
      clear: () => element.clear(),
      remove: () => element.destroy(),
    };
  }

  // Stripe's library confirms, and asks the holder where the bank wants it; how it ended the server learns from Stripe.
  charge() {
    return this.#confirm({ payment_method: { card: this.elements.getElement("cardNumber") } });
  }

  chargeSaved() {
    return this.#confirm();
  }

  async #confirm(card) {
    const asked = this.stripe.confirmCardPayment(this.given.secret, card);
    const { error } = await asked.catch((thrown) => ({ error: thrown }));
    if (error?.type === "validation_error") return this.failed("INVALID_NUMBER", { field: "cardNumber" });
    const outcome = await this.settle({});
    const isUndecided = !error && outcome.payment?.status === "ACTION_REQUIRED";
    return isUndecided ? this.failed("OUTCOME_UNKNOWN") : outcome;
  }

  #options({ style, placeholder, disabled }) {
    const { placeholderColor, ":focus": focus, ":invalid": invalid, ...base } = style;
    const states = { ...base, ":focus": focus, "::placeholder": placeholderColor && { color: placeholderColor } };
    return without({ style: { base: without(states), ...(invalid && { invalid }) }, placeholder, disabled });
  }
}

give(orElsewhere(StripeCard.open));
