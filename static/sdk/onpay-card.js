// Onpay card fields, version 2.1.0. Digits never come to the shop's page: every field is a frame, of our own origin in
// the sandbox, and in production the acquirer's, whose adapter says and hears what a frame of ours would.
(() => {
  "use strict";

  if (window.OnpayCard) return;

  const VERSION = "2.1.0";
  const ORIGIN = new URL(document.currentScript.src).origin;
  const ADAPTERS = {}; // by the server: acquirer → integrity of its adapter
  const KINDS = ["cardNumber", "cardExpiry", "cardCvc"];
  const EVENTS = ["ready", "change", "focus", "blur", "enter", "error"];
  const SECRET = /^(pay_[0-9A-Z]{26})(_live)?_secret_[\w-]{20,100}$/;
  const STATUS = /^[A-Z][A-Z_]{2,30}$/;
  const PATIENCE_MS = 15_000;

  const WORDS = {
    en: {
      cardNumber: "Card number", cardExpiry: "Expiry date", cardCvc: "Security code", hosted: "Card payment",
      bank: "Confirm with your bank", close: "Close",
      THREE_DS_ABANDONED: "You left before your bank had confirmed the payment. You can try again.",
      FIELDS_UNAVAILABLE: "The card fields could not be loaded. Reload the page.",
      SESSION_INVALID: "This payment has expired, or has already been decided.",
      CONNECTION_LOST: "There is no connection. You have not been charged. Try again.",
      OUTCOME_UNKNOWN: "The connection was lost during the payment. Ask the shop before you pay again.",
    },
    es: {
      cardNumber: "Número de tarjeta", cardExpiry: "Fecha de vencimiento", cardCvc: "Código de seguridad",
      hosted: "Pago con tarjeta", bank: "Confirme con su banco", close: "Cerrar",
      THREE_DS_ABANDONED: "Salió antes de que su banco confirmara el pago. Puede intentarlo otra vez.",
      FIELDS_UNAVAILABLE: "No se pudieron cargar los campos de la tarjeta. Recargue la página.",
      SESSION_INVALID: "El tiempo de este pago terminó, o el pago ya se decidió.",
      CONNECTION_LOST: "No hay conexión. No se cobró nada. Inténtelo de nuevo.",
      OUTCOME_UNKNOWN: "Se perdió la conexión durante el pago. Consulte a la tienda antes de pagar otra vez.",
    },
    pt: {
      cardNumber: "Número do cartão", cardExpiry: "Data de validade", cardCvc: "Código de segurança",
      hosted: "Pagamento com cartão", bank: "Confirme com o seu banco", close: "Fechar",
      THREE_DS_ABANDONED: "Você saiu antes de o seu banco confirmar o pagamento. Pode tentar de novo.",
      FIELDS_UNAVAILABLE: "Não foi possível carregar os campos do cartão. Recarregue a página.",
      SESSION_INVALID: "O tempo deste pagamento acabou, ou o pagamento já foi decidido.",
      CONNECTION_LOST: "Não há conexão. Nada foi cobrado. Tente de novo.",
      OUTCOME_UNKNOWN: "A conexão caiu durante o pagamento. Consulte a loja antes de pagar de novo.",
    },
  };

  const spoken = (locale) => {
    const language = String(locale || navigator.language || "en").slice(0, 2).toLowerCase();
    return language in WORDS ? language : "en";
  };

  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const failed = (code, message, more) => ({ error: { code, message, ...more } });
  const worded = (code, words) => failed(code, words[code]);
  const copy = (value) => JSON.parse(JSON.stringify(value ?? {}));

  // Letters only: an id of ours is never mistaken for digits of a card.
  const newId = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => String.fromCharCode(97 + (byte % 26))).join("");

  function read(clientSecret) {
    const [, payment, live] = SECRET.exec(clientSecret) ?? [];
    if (!payment) throw new TypeError("OnpayCard: clientSecret must be nextAction.clientSecret of a card payment.");
    return { clientSecret, payment, isLive: live };
  }

  function nodeOf(target) {
    const node = typeof target === "string" ? document.querySelector(target) : target;
    if (!(node instanceof HTMLElement)) throw new TypeError(`OnpayCard: no element ${target} to mount into.`);
    if (node.getRootNode() !== document) {
      throw new TypeError("OnpayCard: the container must be in the document, and not in a shadow tree.");
    }
    return node;
  }

  function frameOf(path, title) {
    const frame = document.createElement("iframe");
    frame.src = ORIGIN + path;
    frame.title = title;
    // Both schemes are the same on both sides of the frame, so it stays transparent on a dark page, too.
    Object.assign(frame.style, { display: "block", width: "100%", border: "0", colorScheme: "light" });
    return frame;
  }

  // `off` without a handler takes all handlers of the event away.
  class Listeners {
    #handlers = new Map();

    on(event, handler) {
      if (typeof handler !== "function") throw new TypeError("OnpayCard: a handler must be a function.");
      this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), handler]);
    }

    off(event, handler) {
      const kept = handler ? (this.#handlers.get(event) ?? []).filter((known) => known !== handler) : [];
      this.#handlers.set(event, kept);
    }

    tell(event, about) {
      for (const handler of this.#handlers.get(event) ?? []) {
        try {
          handler(about);
        } catch (mistake) {
          setTimeout(() => { throw mistake; }); // the shop's own mistake: shown in its console, it stops nothing here
        }
      }
    }
  }

  // ── What frames say ─────────────────────────────────────────────────────────────────────────────────────────────

  const open = new Set(); // whoever has a frame: `{window, hear(message)}`

  window.addEventListener("message", ({ origin, source, data }) => {
    if (origin !== ORIGIN || !source || !isObject(data) || data.onpay !== 2 || typeof data.type !== "string") return;
    for (const one of open) if (one.window === source) one.hear(data);
  });

  const readPayment = (value, id) =>
    isObject(value) && value.id === id && STATUS.test(value.status) ? { id: value.id, status: value.status } : null;

  function readError(value) {
    if (!isObject(value) || typeof value.code !== "string" || typeof value.message !== "string") return null;
    const error = { code: value.code.slice(0, 60), message: value.message.slice(0, 300) };
    return KINDS.includes(value.field) ? { ...error, field: value.field } : error;
  }

  // `{payment}` or `{error}`; null where a message says neither.
  function readOutcome({ payment, error }, id) {
    const told = readError(error);
    if (told) return { error: told };
    const ended = readPayment(payment, id);
    return ended && { payment: ended };
  }

  // ── Fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

  class Field {
    #inside;
    #options;
    #listeners = new Listeners();
    #container = null;
    #input = null;
    #loaded = null;
    #tellLoaded = null;
    #requests = new Map();
    #labels = [];
    #scheme = null;

    constructor(inside, kind, options) {
      this.#inside = inside;
      this.#options = copy(options);
      this.kind = kind;
    }

    get window() {
      return this.#input?.frame?.contentWindow ?? null;
    }

    get isMounted() {
      return this.#inside.isLive ? this.#container?.isConnected : this.window;
    }

    /** Whether the field answers; waits for it a while. */
    get loaded() {
      return this.#loaded ?? Promise.resolve(false);
    }

    mount(target) {
      const container = nodeOf(target);
      if (container === this.#container) return this;
      this.unmount();
      this.#container = container;
      this.#loaded = new Promise((resolve) => { this.#tellLoaded = resolve; });
      const loaded = this.#loaded;
      setTimeout(() => loaded === this.#loaded && this.#giveUp(), PATIENCE_MS);
      container.replaceChildren();
      container.classList.add("onpay-field", "onpay-empty");
      this.#followLabels(container);
      this.#followScheme();
      if (this.#inside.isLive) this.#useAcquirer(loaded);
      else this.#useFrame();
      open.add(this);
      return this;
    }

    #useFrame() {
      const { id, payment, locale, words } = this.#inside;
      const frame = frameOf(`/sdk/v1/fields/${payment}/${this.kind}?locale=${locale}`, words[this.kind]);
      frame.style.height = "1.5em";
      frame.addEventListener("load", () => this.#greet());
      const say = (message) => frame.contentWindow?.postMessage({ onpay: 2, id, ...message }, ORIGIN);
      this.#input = { frame, say, remove: () => frame.remove() };
      this.#container.append(frame);
    }

    async #useAcquirer(loaded) {
      const card = await (this.#inside.acquirer ??= openAcquirer(this.#inside));
      if (loaded !== this.#loaded) return; // unmounted meanwhile
      if (card.error) this.#giveUp(card);
      else this.#input = card.field(this.kind, this.#container, (message) => this.#take(message), this.#look());
    }

    unmount() {
      if (!this.#container) return this;
      open.delete(this);
      for (const [label, listener] of this.#labels) label.removeEventListener("click", listener);
      this.#scheme?.abort();
      this.#input?.remove();
      this.#mark({ focus: false, empty: false, complete: false, invalid: false });
      this.#container.classList.remove("onpay-field");
      this.#input = this.#container = null;
      this.#tellLoaded(false);
      this.#loaded = null;
      this.#answerAll("INTEGRATION_FIELD_UNMOUNTED", "The card number was unmounted while the payment was confirmed.");
      return this;
    }

    on(event, handler) {
      if (!EVENTS.includes(event)) throw new TypeError(`OnpayCard: there is no event ${event}.`);
      this.#listeners.on(event, handler);
      return this;
    }

    off(event, handler) {
      this.#listeners.off(event, handler);
      return this;
    }

    update(options) {
      this.#options = { ...this.#options, ...copy(options) };
      if (this.#container) this.#input?.say({ type: "update", ...this.#look() });
      return this;
    }

    focus() {
      this.#input?.frame?.focus();
      this.#input?.say({ type: "focus" });
      return this;
    }

    blur() {
      this.#input?.say({ type: "blur" });
      return this;
    }

    clear() {
      this.#input?.say({ type: "clear" });
      return this;
    }

    /** Asks the frame to charge the card; only that of the number does. */
    confirm() {
      return new Promise((resolve) => {
        const request = newId();
        this.#requests.set(request, resolve);
        this.#input?.say({ type: "confirm", request });
      });
    }

    hear(message) {
      if (message.id === this.#inside.id) this.#take(message);
    }

    #take(message) {
      const about = { elementType: this.kind };
      if (message.type === "ready") {
        this.#tellLoaded(true);
        this.#listeners.tell("ready", about);
      } else if (message.type === "focus" || message.type === "blur") {
        this.#mark({ focus: message.type === "focus" });
        this.#listeners.tell(message.type, about);
      } else if (message.type === "change") {
        this.#changed(message, about);
      } else if (message.type === "enter") {
        this.#listeners.tell("enter", about);
        this.#container.closest("form")?.requestSubmit();
      } else if (message.type === "height" && message.px >= 10 && message.px <= 200) {
        this.#input.frame.style.height = `${Math.ceil(message.px)}px`;
      } else if (message.type === "error") {
        const error = readError(message.error);
        if (error) this.#listeners.tell("error", { ...about, error });
      } else if (message.type === "result") {
        this.#answered(message);
      }
    }

    #changed(message, about) {
      const error = message.error === undefined ? undefined : readError(message.error) ?? undefined;
      const { complete, empty, brand } = message;
      if (typeof complete !== "boolean" || typeof empty !== "boolean") return;
      this.#mark({ complete, empty, invalid: Boolean(error) });
      const known = typeof brand === "string" && /^[a-z]{3,12}$/.test(brand) ? { brand } : {};
      this.#listeners.tell("change", { ...about, complete, empty, ...known, ...(error && { error }) });
    }

    #answered(message) {
      const answer = this.#requests.get(message.request);
      if (!answer) return;
      const challenge = isObject(message.threeDs) ? message.threeDs.challengeUrl : null;
      const outcome = challenge ? { challenge } : readOutcome(message, this.#inside.payment);
      if (!outcome) return;
      this.#requests.delete(message.request);
      answer(outcome);
    }

    #answerAll(code, message) {
      for (const answer of this.#requests.values()) answer(failed(code, message));
      this.#requests.clear();
    }

    #greet() {
      this.#answerAll("OUTCOME_UNKNOWN", this.#inside.words.OUTCOME_UNKNOWN); // the frame that was asked is gone
      const { clientSecret, locale } = this.#inside;
      this.#input?.say({ type: "mount", clientSecret, locale, ...this.#look() });
    }

    #giveUp({ error } = worded("FIELDS_UNAVAILABLE", this.#inside.words)) {
      this.loaded.then((isLoaded) => isLoaded || this.#listeners.tell("error", { elementType: this.kind, error }));
      this.#tellLoaded(false);
    }

    // What the container looks like is what the field looks like, unless the shop says otherwise.
    #look() {
      const { color, fontFamily, fontSize, fontWeight, letterSpacing } = getComputedStyle(this.#container);
      const style = { color, fontFamily, fontSize, fontWeight, letterSpacing };
      Object.assign(style, this.#inside.style, this.#options.style);
      const { placeholder, disabled } = this.#options;
      return { style, ...(placeholder !== undefined && { placeholder }), ...(disabled !== undefined && { disabled }) };
    }

    #mark(states) {
      for (const [state, is] of Object.entries(states)) this.#container.classList.toggle(`onpay-${state}`, is);
    }

    #followLabels(container) {
      const labels = container.id ? [...document.querySelectorAll(`label[for="${CSS.escape(container.id)}"]`)] : [];
      this.#labels = labels.map((label) => [label, () => this.focus()]);
      for (const [label, listener] of this.#labels) label.addEventListener("click", listener);
    }

    #followScheme() {
      this.#scheme = new AbortController();
      const dark = matchMedia("(prefers-color-scheme: dark)");
      const repaint = () => setTimeout(() => this.#container && this.update({}), 50);
      dark.addEventListener("change", repaint, { signal: this.#scheme.signal });
    }
  }

  // What a shop may do with a field.
  function handle(field) {
    const self = {};
    for (const name of ["mount", "unmount", "on", "off", "update", "focus", "blur", "clear"]) {
      self[name] = (...given) => (field[name](...given), self);
    }
    return Object.freeze(self);
  }

  const collections = new WeakMap(); // what a shop holds → what is inside

  function elements({ clientSecret, locale, appearance } = {}) {
    const language = spoken(locale);
    const inside = {
      ...read(clientSecret), id: newId(), locale: language, words: WORDS[language], style: copy(appearance?.style),
      fields: new Map(), busy: false,
    };
    const collection = Object.freeze({
      create(kind, options) {
        if (!KINDS.includes(kind)) throw new TypeError(`OnpayCard: there is no field ${kind}. Use ${KINDS.join(", ")}.`);
        if (inside.fields.has(kind)) throw new TypeError(`OnpayCard: ${kind} was created already; there is one of each.`);
        const field = new Field(inside, kind, options);
        const held = handle(field);
        inside.fields.set(kind, { field, held });
        return held;
      },
      getElement: (kind) => inside.fields.get(kind)?.held ?? null,
    });
    collections.set(collection, inside);
    return collection;
  }

  // ── The acquirer's fields ───────────────────────────────────────────────────────────────────────────────────────

  // The script gives its adapter to this element.
  const load = (name) => ADAPTERS[name] && new Promise((resolve) => {
    const script = document.createElement("script");
    script.addEventListener("onpay", ({ detail }) => resolve(detail));
    script.addEventListener("error", () => resolve(null));
    script.crossOrigin = "anonymous";
    script.integrity = ADAPTERS[name];
    script.src = `${ORIGIN}/sdk/acquirers/${name}-${VERSION}.js`;
    document.head.append(script);
  });

  // The acquirer's fields of this payment, or `{error}`.
  async function openAcquirer(inside) {
    const session = await ask("session", inside.clientSecret);
    if (session?.error) return told(session, inside.payment, inside.words);
    const adapter = session?.fields && (await load(session.fields.acquirer));
    const card = adapter && (await adapter(session.fields, { ...inside, ask, authenticate, openAcquirer, origin: ORIGIN }));
    return card || worded("FIELDS_UNAVAILABLE", inside.words);
  }

  // ── Confirmation ────────────────────────────────────────────────────────────────────────────────────────────────

  async function confirmCardPayment(first, second) {
    const options = collections.has(second) ? { elements: second } : second;
    const given = typeof first === "string" ? { ...options, secrets: [first, options?.clientSecret] } : { ...first };
    const secrets = (given.secrets ?? [given.clientSecret]).filter((secret) => secret !== undefined);
    if (!secrets.length) throw new TypeError("OnpayCard: confirmCardPayment needs a clientSecret.");
    const locale = spoken(given.locale);
    const named = { ...read(secrets[0]), locale, words: WORDS[locale] };
    if (given.elements === undefined) return withoutFields(named);
    const inside = collections.get(given.elements);
    if (!inside) throw new TypeError("OnpayCard: elements must be what OnpayCard.elements returned.");
    if (secrets.some((secret) => secret !== inside.clientSecret)) {
      return failed("INTEGRATION_CLIENT_SECRET", "The fields were made with another clientSecret.");
    }
    if (inside.busy) return failed("INTEGRATION_ALREADY_CONFIRMING", "This payment is being confirmed already.");
    inside.busy = true;
    try {
      return await withFields(inside);
    } finally {
      inside.busy = false;
    }
  }

  async function withFields({ fields, payment, words }) {
    const missing = KINDS.find((kind) => !fields.get(kind)?.field.isMounted);
    if (missing) {
      return failed("INTEGRATION_FIELD_NOT_MOUNTED", `${missing} must be mounted before the payment is confirmed.`);
    }
    const loaded = await Promise.all(KINDS.map((kind) => fields.get(kind).field.loaded));
    if (loaded.includes(false)) return worded("FIELDS_UNAVAILABLE", words);
    const outcome = await fields.get("cardNumber").field.confirm();
    return outcome.challenge ? authenticate(outcome.challenge, payment, words) : outcome;
  }

  // A stored card only waits for its holder: there are no fields, and no digits.
  async function withoutFields(inside) {
    const { clientSecret, payment, words } = inside;
    const session = await ask("session", clientSecret);
    if (!session) return worded("CONNECTION_LOST", words);
    if (session.error) return told(session, payment, words);
    if (session.needsCard) return failed("INTEGRATION_ELEMENTS_MISSING", "This payment needs card fields: pass elements.");
    if (inside.isLive) {
      const card = await openAcquirer(inside);
      return card.error ? card : card.confirmSaved();
    }
    const confirmed = await ask("confirm", clientSecret, {});
    if (!confirmed) return worded("OUTCOME_UNKNOWN", words);
    const challenge = confirmed.threeDs?.challengeUrl;
    return challenge ? authenticate(challenge, payment, words) : told(confirmed, payment, words);
  }

  function told(answer, payment, words) {
    const outcome = readOutcome(answer, payment) ?? worded("OUTCOME_UNKNOWN", words);
    if (outcome.error && words[outcome.error.code]) outcome.error.message = words[outcome.error.code];
    return outcome;
  }

  // The answer; null where none came.
  async function ask(path, clientSecret, body) {
    const headers = { authorization: `Bearer ${clientSecret}`, ...(body && { "content-type": "application/json" }) };
    const call = { method: body ? "POST" : "GET", headers, credentials: "omit", cache: "no-store" };
    try {
      const answer = await fetch(`${ORIGIN}/sdk/v1/${path}`, body ? { ...call, body: JSON.stringify(body) } : call);
      return await answer.json();
    } catch {
      return null;
    }
  }

  // ── 3DS ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  function authenticate(address, payment, words, order) {
    if (!address.startsWith(`${ORIGIN}/sdk/v1/3ds/`)) return worded("OUTCOME_UNKNOWN", words);
    const { dialog, frame, close } = challengeDialog(address, words);
    const before = document.activeElement;
    return new Promise((resolve) => {
      const end = (outcome) => {
        open.delete(waiting);
        dialog.close();
        dialog.remove();
        before?.focus?.();
        resolve(outcome);
      };
      const leave = (event) => {
        event?.preventDefault();
        end(worded("THREE_DS_ABANDONED", words));
      };
      const waiting = {
        get window() { return frame.contentWindow; },
        hear(message) {
          if (message.type === "threeDsLeave") return leave();
          const outcome = message.type === "threeDs" ? readOutcome(message, payment) : null;
          if (outcome) end(outcome);
        },
      };
      open.add(waiting);
      close.addEventListener("click", leave);
      dialog.addEventListener("cancel", leave);
      document.body.append(dialog);
      frame.addEventListener("load", () => {
        frame.focus();
        frame.contentWindow.postMessage(order, ORIGIN);
      });
      dialog.showModal();
      close.focus(); // the page in the frame is still to come, and would lose it
    });
  }

  // Styled property by property: a strict policy of the shop for styles does not stop that.
  function challengeDialog(address, words) {
    const dialog = document.createElement("dialog");
    const panel = document.createElement("div");
    const close = document.createElement("button");
    const frame = frameOf(new URL(address).pathname, words.bank);
    dialog.className = "onpay-dialog";
    dialog.setAttribute("aria-label", words.bank);
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", words.close);
    Object.assign(dialog.style, {
      position: "fixed", inset: "0", width: "100vw", height: "100dvh", maxWidth: "none", maxHeight: "none", margin: "0",
      padding: "12px", boxSizing: "border-box", border: "0", background: "rgb(9 16 24 / 62%)", display: "grid",
      placeItems: "center",
    });
    Object.assign(panel.style, {
      position: "relative", width: "min(100%, 420px)", height: "min(100%, 500px)", overflow: "hidden",
      borderRadius: "16px", boxShadow: "0 24px 64px rgb(0 0 0 / 40%)", background: "Canvas",
    });
    Object.assign(close.style, {
      position: "absolute", top: "10px", right: "10px", width: "44px", height: "44px", border: "0",
      borderRadius: "50%", background: "rgb(120 135 150 / 25%)", color: "CanvasText", font: "24px/1 sans-serif",
      cursor: "pointer",
    });
    Object.assign(frame.style, { height: "100%", colorScheme: "inherit" });
    panel.append(frame, close);
    dialog.append(panel);
    return { dialog, frame, close };
  }

  // ── The hosted page: kept for shops that use it; new ones mount fields ──────────────────────────────────────────

  function create({ clientSecret, sessionToken, container, locale } = {}) {
    const secret = clientSecret ?? sessionToken;
    const { payment } = read(secret);
    const listeners = new Listeners();
    const page = {
      on: (event, handler) => (listeners.on(event, handler), page),
      off: (event, handler) => (listeners.off(event, handler), page),
      unmount: () => page,
    };
    const words = WORDS[spoken(locale)];
    // The address is a secret of its own: only the holder of the session is told.
    const address = ask("session", secret).then((session) => {
      const found = session?.checkoutUrl;
      if (found?.startsWith(`${ORIGIN}/checkout/`)) return found;
      listeners.tell("error", worded("SESSION_INVALID", words));
      return null;
    });
    if (container === undefined) {
      address.then((found) => found && location.assign(found));
      return page;
    }
    const frame = frameOf("", words.hosted);
    frame.removeAttribute("src");
    address.then((found) => { if (found) frame.src = found; });
    const listening = {
      get window() { return frame.contentWindow; },
      hear(message) {
        if (message.type === "height" && message.px >= 100 && message.px <= 2000) frame.style.height = `${message.px}px`;
        const outcome = message.type === "hosted" ? readOutcome(message, payment) : null;
        if (outcome) listeners.tell("complete", outcome);
      },
    };
    Object.assign(frame.style, { height: "640px", colorScheme: "inherit" });
    frame.addEventListener("load", () => listeners.tell("ready", {}));
    nodeOf(container).replaceChildren(frame);
    open.add(listening);
    page.unmount = () => (open.delete(listening), frame.remove(), page);
    return page;
  }

  const api = Object.freeze({ version: VERSION, elements, confirmCardPayment, create });
  Object.defineProperty(window, "OnpayCard", { value: api, enumerable: true });
})();
