// A stand-in of ours for what localstripe's library lacks of Stripe's: one element for each part of a card, and the
// confirmation of a card that was typed. 3DS, and saved cards that wait for it, are localstripe's own.
(() => {
  const theirs = Stripe;
  const COMPLETE = { cardNumber: /^\d{16}$/, cardExpiry: /^\d{4}$/, cardCvc: /^\d{3}$/ };
  const ERRORS = { cardNumber: "incomplete_number", cardExpiry: "incomplete_expiry", cardCvc: "incomplete_cvc" };

  class Split {
    constructor(kind, options) {
      Object.assign(this, { kind, handlers: {}, input: document.createElement("input") });
      this.input.name = kind;
      Object.assign(this.input.style, { width: "100%", border: "0", outline: "0", padding: "0", background: "transparent" });
      this.input.addEventListener("focus", () => this.tell("focus"));
      this.input.addEventListener("blur", () => (this.change(this.isWrong()), this.tell("blur")));
      this.input.addEventListener("input", () => this.change(false));
      this.update(options);
    }

    get digits() { return this.input.value.replace(/\D/g, ""); }
    isWrong() { return this.digits !== "" && !COMPLETE[this.kind].test(this.digits); }
    on(event, handler) { (this.handlers[event] ??= []).push(handler); }
    tell(event, about) { for (const one of this.handlers[event] ?? []) one({ elementType: this.kind, ...about }); }
    focus() { this.input.focus(); }
    blur() { this.input.blur(); }
    destroy() { this.input.remove(); }

    mount(container) {
      container.append(this.input);
      setTimeout(() => this.tell("ready"));
    }

    clear() {
      this.input.value = "";
      this.change(false);
    }

    update({ style: { base }, placeholder, disabled }) {
      Object.assign(this.input.style, base);
      if (placeholder !== undefined) this.input.placeholder = placeholder;
      if (disabled !== undefined) this.input.disabled = disabled;
    }

    change(isWrong) {
      const brand = this.kind === "cardNumber" ? { brand: this.digits.startsWith("4") ? "visa" : "unknown" } : {};
      const error = isWrong ? { type: "validation_error", code: ERRORS[this.kind], message: "theirs" } : undefined;
      const complete = COMPLETE[this.kind].test(this.digits);
      this.tell("change", { complete, empty: !this.digits, error, ...brand });
    }
  }

  window.Stripe = (key, options) => {
    const stripe = theirs(key);
    const made = {};
    window.given = { key, options };
    const elements = () => ({
      create: (kind, look) => (made[kind] = new Split(kind, look)),
      getElement: (kind) => made[kind],
    });
    const confirmCardPayment = async (secret, data) => {
      if (!data) return stripe.confirmCardPayment(secret);
      const body = JSON.stringify({ number: made.cardNumber.digits });
      const address = `${LOCALSTRIPE_BASE_API}/v1/payment_intents/${secret.split("_secret_")[0]}/confirm`;
      const intent = await (await fetch(address, { method: "POST", body })).json();
      if (intent.error) return { error: intent.error };
      return intent.status === "requires_action" ? stripe.confirmCardPayment(secret) : { paymentIntent: intent };
    };
    return { ...stripe, elements, confirmCardPayment };
  };
})();
