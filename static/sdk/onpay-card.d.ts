// Types of OnpayCard, the browser SDK for card payments, version 2.1.0.

export type FieldKind = "cardNumber" | "cardExpiry" | "cardCvc";
export type Locale = "pt" | "es" | "en";
export type Brand = "visa" | "mastercard" | "amex" | "elo" | "hipercard" | "diners" | "discover" | "unknown";

/** Colours of a state of the field. */
export interface FieldStateStyle {
  color?: string;
  backgroundColor?: string;
}

/** Checked inside the frame: a value longer than 100 characters, or with `url()`, is left out. */
export interface FieldStyle extends FieldStateStyle {
  fontFamily?: string;
  fontSize?: string;
  fontWeight?: string | number;
  letterSpacing?: string;
  lineHeight?: string | number;
  textAlign?: string;
  padding?: string;
  placeholderColor?: string;
  ":focus"?: FieldStateStyle;
  ":invalid"?: FieldStateStyle;
}

export interface FieldOptions {
  style?: FieldStyle;
  placeholder?: string;
  disabled?: boolean;
}

export interface CardError {
  /** Of the field (`INVALID_NUMBER`), of the issuer (`CARD_REFUSED`), or of the page (`INTEGRATION_…`). */
  code: string;
  /** For the payer, in their language. */
  message: string;
  field?: FieldKind;
}

export interface FieldEvent {
  elementType: FieldKind;
}

export interface FieldChangeEvent extends FieldEvent {
  complete: boolean;
  empty: boolean;
  /** Of the card number only. */
  brand?: Brand;
  error?: CardError;
}

export interface FieldErrorEvent extends FieldEvent {
  error: CardError;
}

export interface FieldEvents {
  ready: FieldEvent;
  change: FieldChangeEvent;
  focus: FieldEvent;
  blur: FieldEvent;
  /** Enter was pressed. A form around the container is submitted, too. */
  enter: FieldEvent;
  /** The field cannot be used: it did not load, or its session is over. */
  error: FieldErrorEvent;
}

/**
 * One field. Its container gets the classes `onpay-field`, `onpay-empty`, `onpay-focus`, `onpay-complete` and
 * `onpay-invalid`. Colour and font are those of the container unless `style` says otherwise.
 */
export interface CardElement {
  mount(container: string | HTMLElement): CardElement;
  unmount(): CardElement;
  on<Name extends keyof FieldEvents>(event: Name, handler: (about: FieldEvents[Name]) => void): CardElement;
  off<Name extends keyof FieldEvents>(event: Name, handler?: (about: FieldEvents[Name]) => void): CardElement;
  update(options: FieldOptions): CardElement;
  focus(): CardElement;
  blur(): CardElement;
  clear(): CardElement;
}

export interface CardElements {
  create(kind: FieldKind, options?: FieldOptions): CardElement;
  getElement(kind: FieldKind): CardElement | null;
}

export interface ElementsOptions {
  /** `nextAction.clientSecret` of the payment. */
  clientSecret: string;
  /** The browser's language where left out. */
  locale?: Locale | string;
  /** The style of every field of the collection. */
  appearance?: { style?: FieldStyle };
}

/** What the browser knows. Only the signed event, or a lookup by your backend, confirms a payment. */
export type CardOutcome =
  | { payment: { id: string; status: string }; error?: undefined }
  | { error: CardError; payment?: undefined };

export interface ConfirmOptions {
  /** May be left out for a stored card, which only its holder has to confirm. */
  elements?: CardElements;
  locale?: Locale | string;
}

export interface HostedPage {
  on(event: "ready", handler: () => void): HostedPage;
  on(event: "complete", handler: (outcome: CardOutcome) => void): HostedPage;
  off(event: "ready" | "complete", handler?: (outcome: CardOutcome) => void): HostedPage;
  unmount(): HostedPage;
}

export interface OnpayCardApi {
  readonly version: string;
  elements(options: ElementsOptions): CardElements;
  /** Rejects with a TypeError for a call that makes no sense, never for how a payment ended. */
  confirmCardPayment(options: ConfirmOptions & { clientSecret: string }): Promise<CardOutcome>;
  confirmCardPayment(clientSecret: string, elements: CardElements): Promise<CardOutcome>;
  confirmCardPayment(clientSecret: string, options?: ConfirmOptions): Promise<CardOutcome>;
  /**
   * The hosted card page, in `container` or instead of this page.
   * @deprecated Without a date: mount fields by `elements`.
   */
  create(options: {
    clientSecret?: string;
    /** @deprecated The former name of `clientSecret`. */
    sessionToken?: string;
    container?: string | HTMLElement;
    locale?: Locale | string;
  }): HostedPage;
}

declare global {
  const OnpayCard: OnpayCardApi;
  interface Window {
    readonly OnpayCard: OnpayCardApi;
  }
}
