// A stand-in of ours for adyen-web, Adyen's library for browsers, of which there is none by others: what the adapter
// uses of version 6, with plain inputs where Adyen has frames that encrypt, and a button where it shows 3DS: the bank's
// answer is the `result` that a test puts there, or that the card is a credit card. Some numbers play another card. It
// was written next to adyen-web 6.45.2, with which the adapter was tried.
(() => {
  const COMPLETE = { encryptedCardNumber: /^\d{16}$/, encryptedExpiryDate: /^\d{4}$/, encryptedSecurityCode: /^\d{3}$/ };
  const WRONG = { encryptedCardNumber: "cc.num.902", encryptedExpiryDate: "cc.dat.911", encryptedSecurityCode: "cc.cvc.921" };
  const PLAYS = {
    "4000056655665556": "debit",
    "4000000000000002": "refused",
    "4000000000000119": "acquirer",
  };
  const OF_DATE = ["encryptedExpiryMonth", "encryptedExpiryYear"];

  class CustomCard {
    constructor(checkout, props) {
      Object.assign(this, { props, valid: {}, errors: {}, sealed: {} });
      window.given = { ...checkout.options, styles: props.styles, placeholders: props.placeholders };
    }

    mount(root) {
      this.inputs = Object.fromEntries(root.querySelectorAll("[data-cse]").map((holder) => this.field(holder)));
      setTimeout(() => this.props.onConfigSuccess({}));
    }

    field(holder) {
      const kind = holder.dataset.cse;
      const input = document.createElement("input");
      const say = (focus) => this.props.onFocus({ fieldType: kind, focus, numChars: input.value.length });
      input.addEventListener("focus", () => say(true));
      input.addEventListener("blur", () => (this.check(kind, true), say(false)));
      input.addEventListener("input", () => this.check(kind, false));
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault(); // theirs is in a frame, where it submits nothing
        this.props.onEnterKeyPressed(input, this);
      });
      holder.append(input);
      return [kind, input];
    }

    check(kind, isLeft) {
      const { value } = this.inputs[kind];
      const isValid = COMPLETE[kind].test(value);
      const number = this.inputs.encryptedCardNumber.value;
      const plays = PLAYS[number] ?? { 5: "challenge", 3: "redirect" }[number[0]] ?? "credit";
      const error = isLeft && value && !isValid ? { error: WRONG[kind], errorMessage: "theirs" } : null;
      for (const name of kind === "encryptedExpiryDate" ? OF_DATE : [kind]) {
        this.valid[name] = isValid;
        this.sealed[name] = isValid ? `adyenan0_1_1$${plays}` : undefined;
      }
      this.errors[kind] = error;
      if (kind === "encryptedCardNumber") this.props.onBrand({ brand: value.startsWith("5") ? "mc" : "card" });
      this.props.onChange({ valid: this.valid, errors: this.errors, isValid: this.isValid, data: {} }, this);
    }

    get isValid() {
      return ["encryptedCardNumber", ...OF_DATE, "encryptedSecurityCode"].every((name) => this.valid[name]);
    }

    get data() {
      const { language, userAgent } = navigator;
      const screen = { colorDepth: 24, screenHeight: 844, screenWidth: 390, timeZoneOffset: 0 };
      const browserInfo = { acceptHeader: "*/*", javaEnabled: false, language, userAgent, ...screen };
      return { paymentMethod: { type: "scheme", ...this.sealed }, browserInfo, origin: location.origin };
    }

    setFocusOn(kind) { this.inputs[kind].focus(); }
    updateStyles(styles) { window.given.styles = styles; }
    remove() {}
  }

  const AdyenCheckout = async (options) => ({
    options,
    createFromAction: (action, { onAdditionalDetails }) => ({
      mount(node) {
        const button = document.createElement("button");
        button.textContent = `Approve ${action.type}`;
        button.addEventListener("click", () => {
          const threeDSResult = window.result ?? `${action.token}.credit`;
          onAdditionalDetails({ data: { details: { threeDSResult } } });
        });
        node.replaceChildren(button);
      },
    }),
  });

  window.AdyenWeb = { AdyenCheckout, CustomCard };
})();
