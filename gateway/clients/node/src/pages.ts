// Lists: `for await (const payment of client.payments.list())` asks for page after page.

import type { Call } from "./calls.js";
import type { Pagination } from "./generated/api.js";
import type { Transport } from "./transport.js";

export const PAGE_SIZE = 100;

/** One page of a list. `totalAvailable` counts what matches on all pages. */
export interface Page<Item> {
  items: Item[];
  pageNumber: number;
  pageSize: number;
  totalAvailable: number;
  totals: Record<string, unknown>[];
}

export class Pages<Item> implements AsyncIterable<Item> {
  constructor(
    private readonly transport: Transport,
    private readonly call: Call,
  ) {}

  /** One page. */
  async page(pageNumber = 1): Promise<Page<Item>> {
    return this.asked({ pageNumber }, pageNumber);
  }

  /** Page after page, from the `pageNumber` that was asked for. */
  async *pages(): AsyncGenerator<Page<Item>> {
    let page = await this.page((this.call.query as { pageNumber?: number }).pageNumber);
    yield page;
    while (!this.isLast(page)) {
      const number = page.pageNumber + 1;
      const name = this.call.goesOnAfter;
      const last = page.items[page.items.length - 1];
      page = await this.asked(name ? { pageNumber: 1, after: memberOf(last, name) } : { pageNumber: number }, number);
      yield page;
    }
  }

  /** Every object once, also where others were created meanwhile. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    const seen = new Set<unknown>(); // by page numbers, what is new moves the others to the next page
    for await (const { items } of this.pages()) {
      for (const item of items) {
        const name = this.call.goesOnAfter ? undefined : memberOf(item, "id");
        if (name === undefined || !seen.has(name)) yield item;
        if (name !== undefined) seen.add(name);
      }
    }
  }

  private async asked(place: object, pageNumber: number): Promise<Page<Item>> {
    const query = { pageSize: PAGE_SIZE, ...this.call.query, ...place };
    const { body } = await this.transport.send({ ...this.call, query });
    const { data, pagination, totals = [] } = body as {
      data: Item[];
      pagination: Pagination;
      totals?: Record<string, unknown>[];
    };
    const { pageSize, totalAvailable } = pagination;
    return { items: data, pageNumber, pageSize, totalAvailable, totals };
  }

  private isLast({ items, pageNumber, pageSize, totalAvailable }: Page<Item>): boolean {
    if (this.call.goesOnAfter) return items.length < pageSize;
    return items.length === 0 || pageNumber * pageSize >= totalAvailable;
  }
}

function memberOf(item: unknown, name: string): unknown {
  return (item as Record<string, unknown>)[name];
}
