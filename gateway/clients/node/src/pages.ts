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
    const query = { pageSize: PAGE_SIZE, ...this.call.query, pageNumber };
    const { body } = await this.transport.send({ ...this.call, query });
    const { data, pagination, totals = [] } = body as {
      data: Item[];
      pagination: Pagination;
      totals?: Record<string, unknown>[];
    };
    const { pageSize, totalAvailable } = pagination;
    return { items: data, pageNumber, pageSize, totalAvailable, totals };
  }

  /** Page after page, from the `pageNumber` that was asked for. */
  async *pages(): AsyncGenerator<Page<Item>> {
    for (let number = (this.call.query as { pageNumber?: number }).pageNumber ?? 1; ; number += 1) {
      const page = await this.page(number);
      yield page;
      if (page.items.length === 0 || page.pageNumber * page.pageSize >= page.totalAvailable) return;
    }
  }

  /** Every object once, also where others were created meanwhile and moved it to the next page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    const seen = new Set<unknown>();
    for await (const { items } of this.pages()) {
      for (const item of items) {
        const name = idOf(item);
        if (name === undefined || !seen.has(name)) yield item;
        seen.add(name);
      }
    }
  }
}

function idOf(item: unknown): unknown {
  return (item as { id?: string }).id;
}
