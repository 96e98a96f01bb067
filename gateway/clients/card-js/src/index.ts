// Loads OnpayCard from the service: the script itself is never bundled, because it may only come from there.

import type { OnpayCardApi } from "./onpay-card.js";

export type * from "./onpay-card.js";

export interface LoadOptions {
  /** The hash of a versioned script, as /docs/cards names it. */
  integrity?: string;
  /** The nonce of your page's content security policy. */
  nonce?: string;
}

const loading = new Map<string, Promise<OnpayCardApi>>();

/** `OnpayCard`, once its script has run; one script however often it is called. Reject means: not loaded, try again. */
export function loadOnpayCard(script: string, options: LoadOptions = {}): Promise<OnpayCardApi> {
  let found = loading.get(script);
  if (!found) {
    found = added(script, options);
    loading.set(script, found);
    found.catch(() => loading.delete(script));
  }
  return found;
}

function added(script: string, { integrity, nonce }: LoadOptions): Promise<OnpayCardApi> {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = script;
    if (nonce) element.nonce = nonce;
    if (integrity) {
      element.integrity = integrity;
      element.crossOrigin = "anonymous";
    }
    element.onload = () => resolve(window.OnpayCard);
    element.onerror = () => {
      element.remove();
      reject(new Error(`${script} did not load`));
    };
    document.head.append(element);
  });
}
