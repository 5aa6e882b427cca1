// The storage of a queue on the device: to which database it belongs, whether the browser may remove it, what the app can save of it.

import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import { addressOf, ELSEWHERE } from "../../store/check-options.js";
import type { StoreBase } from "../../store/store.js";
import { stateOf } from "../change-handles.js";
import type { Drain } from "../sending/drain.js";
import type { Memory } from "./queue-state.js";
import type { CommandTexts } from "./records.js";

export class Persistence {
  readonly #changed;
  /** `undefined` before the browser has said so. */
  isGranted: boolean | undefined;

  /** `changed` is called when the browser has responded. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Asks whether it has promised it before. */
  async ask(): Promise<void> {
    this.isGranted = await globalThis.navigator?.storage?.persisted?.();
    this.#changed();
  }

  /** Requests the promise, unless it was asked for. */
  request(): void {
    const storage = globalThis.navigator?.storage;
    if (this.isGranted !== undefined || !storage?.persist) return;
    this.isGranted = false;
    storage.persist().then(
      (isGranted) => {
        this.isGranted = isGranted;
        this.#changed();
      },
      () => {},
    );
  }
}

const originIn = (store: StoreBase): string[] => [
  addressOf(store.urls[0] as string, ELSEWHERE).href,
  idKey(store.database),
];

/** Server and database. */
export const originOf = (store: StoreBase): string => JSON.stringify(originIn(store));

/** Server, database, user. */
export const scopeOf = (store: StoreBase, user: string): string => JSON.stringify([...originIn(store), user]);

export function noDocuments(): never {
  fail("InvalidOperation", "nothing is kept on this device without offline({ documents })");
}

export async function exported({ changes, control, core, damaged }: Memory, drain: Drain): Promise<string> {
  // While texts are read, the memory may be replaced by what another tab has written.
  const states = new Map([...changes.keys()].map((number) => [number, stateOf(core.record(number)[4] ?? 0)]));
  const members = await drain.members(changes.keys());
  const shown = members.map(({ record, texts }) => ({
    id: record.id,
    number: record.number,
    state: states.get(record.number),
    queuedAt: new Date(record.time).toISOString(),
    version: record.version,
    incarnation: record.incarnation,
    error: record.error,
    commands: record.commands.map(({ key: _, document: __, ...command }, at) => {
      const { content, ...own } = texts[at] as CommandTexts;
      return { ...command, ...own, ...(content && { contentBytes: content.size }) };
    }),
  }));
  const { user, receipt } = control;
  return JSON.stringify({ user, receipt, changes: shown, damaged }, undefined, 2);
}
