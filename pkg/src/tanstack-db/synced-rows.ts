// The rows that a collection of TanStack DB has from us: its synced layer.

import type { RowSync } from "./collection-types.js";
import { type AnyRow, type Rows, versionIn } from "./rows.js";

export class SyncedRows {
  readonly #sync;
  /** The versions of all rows, by key. */
  readonly #versions = new Map<string, string | undefined>();

  constructor(sync: Pick<RowSync<AnyRow>, "begin" | "write" | "commit" | "truncate">) {
    this.#sync = sync;
  }

  has(key: string): boolean {
    return this.#versions.has(key);
  }

  versionOf(key: string): string | undefined {
    return this.#versions.get(key);
  }

  /** Writes these rows; `null` removes one. */
  write(rows: Rows): void {
    const changed = [...rows].filter(([key, row]) =>
      row ? !this.has(key) || versionIn(row) !== this.#versions.get(key) : this.has(key),
    );
    if (changed.length === 0) return;
    const { begin, write, commit } = this.#sync;
    begin();
    for (const [key, row] of changed) {
      if (row) write({ type: this.has(key) ? "update" : "insert", value: row });
      else write({ type: "delete", key });
      if (row) this.#versions.set(key, versionIn(row));
      else this.#versions.delete(key);
    }
    commit();
  }

  /** Makes these rows all there are, in one transaction; rows that are `kept` stay as they are. */
  replace(rows: Rows, isKept: (key: string) => boolean = () => false): void {
    const changed: Rows = new Map([...rows].filter(([key]) => !isKept(key)));
    for (const key of this.#versions.keys()) if (!rows.has(key) && !isKept(key)) changed.set(key, null);
    this.write(changed);
  }

  /** Removes all rows. */
  clear(): void {
    const { begin, truncate, commit } = this.#sync;
    this.#versions.clear();
    begin();
    truncate({ markReady: false });
    commit();
  }
}
