// What the generated resources stand on.

import type { Call } from "./calls.js";
import type { Deleted } from "./generated/api.js";
import { Pages } from "./pages.js";
import type { Transport } from "./transport.js";

/** The calls about one kind of object. */
export class Resource {
  constructor(private readonly transport: Transport) {}

  protected async one<Given>(call: Call): Promise<Given> {
    const { body } = await this.transport.send(call);
    return (body as { data: Given }).data;
  }

  protected async pdf(call: Call): Promise<Uint8Array> {
    return (await this.transport.send(call)).content;
  }

  /** Also where the first answer was lost, and the second try finds nothing. */
  protected async removed(call: Call & { removes: string }): Promise<Deleted> {
    await this.transport.send(call);
    return { id: call.removes, deleted: true };
  }

  protected many<Item>(call: Call): Pages<Item> {
    return new Pages<Item>(this.transport, call);
  }
}
