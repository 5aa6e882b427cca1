// What each program gets.
import type { DocumentStore } from "client";

export interface Context {
  /** An initialized store without conventions, on a database that holds the documents of `northwind.ts`. */
  store: DocumentStore;
  /** For programs that configure a store of their own. */
  url: string;
  database: string;
  /** Reports values: what `console.log` is in the documentation. */
  print(...values: unknown[]): void;
}

// biome-ignore lint/suspicious/noExplicitAny: results whose shape the query says
export type Any = any;
