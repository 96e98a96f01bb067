// JSON in which amounts are decimal strings: "150.00" here, the number 150.00 on the wire.

import { DECIMALS } from "./generated/names.js";

const PLAIN = /^-?\d{1,12}(\.\d{1,10})?$/;

/** The text of a body. A number where an amount stands is refused: `0.1 + 0.2` is not what was meant. */
export function encoded(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (!DECIMALS.has(name) || value === null || value === undefined) return value;
    if (typeof value !== "string" || !PLAIN.test(value) || value.replace(/^-?0*\.?0*|\./g, "").length > 15) {
      throw new TypeError(`${name} must be a decimal string such as "150.00"`);
    }
    return Number(value); // at most 15 digits, which a double keeps exactly
  });
}

/** The answer of a body, or undefined where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text, function (this: Record<string, unknown>, name, value: unknown) {
      // `total` of a page is a count, that of a balance an amount.
      const isAmount = typeof value === "number" && DECIMALS.has(name) && !("totalAvailable" in this);
      return isAmount ? plain(value) : value;
    });
  } catch {
    return undefined;
  }
}

/** The digits of a number, without an exponent; amounts have at least two decimals. */
function plain(value: number): string {
  const [digits = "", exponent] = String(value).split("e-");
  const places = exponent === undefined ? 0 : Number(exponent) + (digits.split(".")[1]?.length ?? 0);
  const text = exponent === undefined ? digits : value.toFixed(places);
  const decimals = text.split(".")[1]?.length ?? 0;
  return decimals >= 2 ? text : Number(text).toFixed(2);
}
