// Facets and suggestions: results by the names of fields, in place of documents.

import type { Lazy } from "../loading/lazy-operations.js";
import type { DocumentQuery } from "../query/document-query.js";

export class ResultsByField {
  #query;

  constructor(query: DocumentQuery) {
    this.#query = query;
  }

  andAggregateBy(...given: unknown[]): this {
    return this.#add("aggregateBy", given);
  }

  andSuggestUsing(...given: unknown[]): this {
    return this.#add("suggestUsing", given);
  }

  #add(name: string, given: unknown[]): this {
    this.#query.extra(name, ...given);
    return this;
  }

  execute(): Promise<unknown> {
    return this.#query.all();
  }

  executeLazy(): Lazy {
    return this.#query.lazily();
  }

  toString(): string {
    return this.#query.toString();
  }
}
