// Writes what the effects of an event name, in the transaction in which it was decided.

import {
  DEED_DISCARDED,
  DEED_INHERIT,
  DEED_KEEP_ERROR,
  DEED_KEEP_VECTOR,
  DEED_NEW_RECEIPT,
  DEED_PASS,
  DEED_REMOVE,
  DEED_RENAME,
  DEED_SEND,
  DEED_STORE,
} from "../../../gen/protocol.js";
import { idKey } from "../../common/id-key.js";
import type { Sealed } from "../documents/kept-device.js";
import type { Settle } from "../documents/seen-documents.js";
import type { Effect } from "./queue-core.js";
import type { Stores } from "./queue-database.js";
import type { Turn } from "./queue-state.js";
import {
  type ChangeRecord,
  type CommandTexts,
  receiptId,
  type StoredCommand,
  type StoredError,
} from "./records.js";

/** What belongs to an event beside its numbers. */
export interface Facts {
  /** The change vectors of a response: by change, then by document. */
  vectors?: Map<number, Map<number, string>>;
  /** The change vector of the receipt, as the response has it. */
  receipt?: string;
  error?: StoredError;
  /** The new texts of changes. */
  texts?: Map<number, CommandTexts[]>;
  /** A fresh batch id, and its number. */
  batch?: [number: number, id: string];
  /** What is kept until now is older than the batch. */
  sealed?: Sealed;
  /** New ids of documents, by their numbers. */
  ids?: Map<number, string>;
  /** Keeps what saved changes have made of their documents. */
  settle?: Settle;
}

/** How many discarded changes are remembered. */
const REMEMBERED = 1_000;

/** The index key of a document. */
export const documentKey = (scope: string, key: string): string => `${scope}\n${key}`;

/** The command of a change that states what a document is expected to be: the first about it. */
export function commandAbout(record: ChangeRecord | undefined, document: number): StoredCommand | undefined {
  return record?.commands.find((command) => command.document === document);
}

export function applyEffects(turn: Turn, effects: Effect[], facts: Facts): void {
  for (const effect of effects) apply(turn, effect, facts);
  store(turn, effects, facts);
}

/** Effects that change records; they are written afterwards, by `store`. */
function apply(
  { control, changes, documents, stores }: Turn,
  [code, a, b, c, d]: Effect,
  facts: Facts,
): void {
  if (code === DEED_PASS) {
    const command = commandAbout(changes.get(b), c);
    const vector = facts.vectors?.get(a)?.get(c);
    // Without it the command would overwrite whatever there is.
    if (!command || vector === undefined) throw new Error("a change vector to be passed on is missing");
    Object.assign(command, { expects: "vector", vector });
  } else if (code === DEED_INHERIT) {
    inherit(stores, changes.get(a), changes.get(b), c);
  } else if (code === DEED_RENAME) {
    const id = facts.ids?.get(c) as string;
    const record = changes.get(a);
    for (const command of record?.commands ?? [])
      if (command.document === b) Object.assign(command, { document: c, id, key: idKey(id) });
    documents.set(idKey(id), c);
  } else if (code === DEED_KEEP_VECTOR) {
    control.vector = facts.receipt ?? control.vector;
  } else if (code === DEED_KEEP_ERROR) {
    const record = changes.get(a);
    if (record && facts.error) record.error = facts.error;
  } else if (code === DEED_NEW_RECEIPT) {
    control.receipt = receiptId();
    control.vector = "";
  } else if (code === DEED_DISCARDED) {
    control.discarded = [...control.discarded.slice(-REMEMBERED), a];
  } else if (code === DEED_SEND && facts.batch && b === facts.batch[0]) {
    control.ids[b] = facts.batch[1];
    // A fence is not the batch whose outcome it finds.
    if (d === 0) control.sealed = facts.sealed;
  }
}

/** A change begins where a refused one began, from whose text it was made. The texts are written later in the same transaction. */
function inherit(
  { texts }: Stores,
  from: ChangeRecord | undefined,
  to: ChangeRecord | undefined,
  document: number,
): void {
  const [first, own] = [commandAbout(from, document), commandAbout(to, document)];
  if (!from || !to || !first || !own) return;
  if (first.expects !== "any") Object.assign(own, { expects: first.expects, vector: first.vector });
  const at = to.commands.indexOf(own);
  const key = [to.scope, to.number];
  const refused = texts.get([from.scope, from.number]);
  refused.onsuccess = () => {
    const base = (refused.result as CommandTexts[] | undefined)?.[from.commands.indexOf(first)];
    const request = texts.get(key);
    request.onsuccess = () => {
      const made = request.result as CommandTexts[] | undefined;
      const follower = made?.[at];
      if (!base || !follower) return;
      follower.before = base.before;
      texts.put(made, key);
    };
  };
}

function store(turn: Turn, effects: Effect[], { texts, settle, vectors }: Facts): void {
  const { core, changes, documents, stores } = turn;
  const removed = new Set<number>();
  const stored = new Set<number>();
  for (const [code, a, b] of effects) {
    if (code === DEED_REMOVE) removed.add(a);
    if (code === DEED_STORE || code === DEED_KEEP_ERROR || code === DEED_RENAME) stored.add(a);
    if (code === DEED_PASS) stored.add(b);
  }
  for (const number of removed) {
    const record = changes.get(number);
    changes.delete(number);
    if (!record) continue;
    const isDiscarded = effects.some(([code, change]) => code === DEED_DISCARDED && change === number);
    if (!isDiscarded) settle?.removed(stores, record, vectors?.get(number));
    stores.changes.delete([record.scope, number]);
    stores.texts.delete([record.scope, number]);
    for (const { key, document } of record.commands) if (core.pending(document) === 0) documents.delete(key);
  }
  for (const number of stored) {
    const record = changes.get(number);
    if (!record || removed.has(number)) continue;
    record.core = core.record(number);
    record.keys = [...new Set(record.commands.map(({ key }) => documentKey(record.scope, key)))];
    stores.changes.put(record);
  }
  for (const [number, given] of texts ?? []) {
    const record = changes.get(number);
    if (record && !removed.has(number)) stores.texts.put(given, [record.scope, number]);
  }
}
