// What pending changes make of documents, read from the device: other tabs may have queued them.

import { PLACE_STATE, STATE_CONFLICT } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { LoadedBodies } from "../loading/request-documents.js";
import { documentKey } from "./device/apply-effects.js";
import { got, inTransaction, keysOf, type Stores } from "./device/queue-database.js";
import {
  areWhole,
  type ChangeRecord,
  type CommandTexts,
  isChange,
  type Kind,
  type StoredCommand,
} from "./device/records.js";
import { keysIn, lay, type PendingDocument, withPending } from "./overlay.js";

/** Documents with pending changes, by the keys of their ids. */
export type Pending = Map<string, PendingDocument & { collection: string }>;

/** How often a response is requested again because changes were saved while it was on its way. */
const ROUNDS = 3;

type PendingCommand = [command: StoredCommand, texts: CommandTexts, record: ChangeRecord];

/** The commands of these rows of `changes`, in order. */
async function commandsOf(stores: Stores, rows: readonly unknown[]): Promise<PendingCommand[]> {
  const records = rows.filter(isChange);
  const texts = await Promise.all(
    records.map(({ scope, number }) => got<unknown>(stores.texts.get([scope, number]))),
  );
  return records.flatMap((record, at) => {
    const { commands } = record;
    const own = texts[at];
    if (!areWhole(own, commands)) return [];
    return commands.map((command, at): PendingCommand => [command, own[at] as CommandTexts, record]);
  });
}

/** What a document is after one more command. */
function follow(
  pending: Pending,
  { key, id, kind, collection }: StoredCommand,
  { text }: CommandTexts,
  { time }: ChangeRecord,
): void {
  pending.set(key, { id, text: isWrite(kind) ? text : pending.get(key)?.text, time, collection });
}

/** What a change makes of its documents; `undefined` if the results of its commands are the server's. */
export function writtenBy(record: ChangeRecord, texts: readonly CommandTexts[]): Pending | undefined {
  const written: Pending = new Map();
  for (const [at, command] of record.commands.entries())
    follow(written, command, texts[at] as CommandTexts, record);
  return [...written.values()].some(({ text }) => text === undefined) ? undefined : written;
}

/**
 * The documents with pending changes, by the keys of their ids. The text is that of the last change that writes or deletes the document;
 * `undefined` if there are only patches, whose result is the server's.
 */
export async function pendingIn(stores: Stores, scope: string, ids: readonly string[]): Promise<Pending> {
  const pending: Pending = new Map();
  const index = stores.changes.index("documents");
  if (ids.length === 0) return pending;
  if (ids.length > 1) {
    // Most devices have nothing that waits: one request instead of many.
    const bounds = IDBKeyRange.bound(documentKey(scope, ""), documentKey(scope, "\uffff"));
    if ((await got(index.count(bounds))) === 0) return pending;
  }
  const add = async (key: string) => {
    const rows = await got<unknown[]>(index.getAll(documentKey(scope, key)));
    const isWriting = (row: unknown) =>
      isChange(row) && row.commands.some((command) => command.key === key && isWrite(command.kind));
    const read = async (from: number) => {
      for (const [command, texts, record] of await commandsOf(stores, rows.slice(from)))
        if (command.key === key) follow(pending, command, texts, record);
    };
    // What the last change writes has all earlier ones in it, unless its text is damaged.
    const from = rows.map(isWriting).lastIndexOf(true);
    await read(Math.max(from, 0));
    if (from > 0 && pending.get(key)?.text === undefined) await read(0);
  };
  await Promise.all([...new Set(ids.map(idKey))].map(add));
  return pending;
}

/** All documents with pending changes, by the keys of their ids: as {@link pendingIn}. */
export async function allPendingIn(stores: Stores, scope: string): Promise<Pending> {
  const pending: Pending = new Map();
  const rows = await got<unknown[]>(stores.changes.getAll(keysOf(scope)));
  for (const each of await commandsOf(stores, rows)) follow(pending, ...each);
  return pending;
}

/**
 * The documents of this device that results of queries may lack, oldest first: those that were created on it and are not saved, and those
 * in conflict, because another client may have changed or deleted them.
 */
export async function unlistedIn(stores: Stores, scope: string): Promise<PendingDocument[]> {
  const unlisted = new Map<string, PendingDocument>();
  const rows = await got<unknown[]>(stores.changes.getAll(keysOf(scope)));
  for (const [{ key, id, kind }, { text, before }, { time, core }] of await commandsOf(stores, rows)) {
    const isUnlisted = kind === "PUT" && (before === null || core[PLACE_STATE] === STATE_CONFLICT);
    if (unlisted.has(key) ? isWrite(kind) : isUnlisted) unlisted.set(key, { id, text, time });
  }
  return [...unlisted.values()].filter(({ text }) => text !== null);
}

/** The numbers of the changes that wait. */
async function numbersIn(stores: Stores, scope: string): Promise<number[]> {
  const keys = await got(stores.changes.getAllKeys(keysOf(scope)));
  return keys.map((key) => (key as [string, number])[1]);
}

/** Whether a command says what its document is; else only the server knows. */
const isWrite = (kind: Kind): boolean => kind === "PUT" || kind === "DELETE";

/** Reads in one transaction. Where nothing can be kept on the device, nothing waits there: then `none` is the result. */
const read = <Result>(work: (stores: Stores) => Promise<Result>, none: Result): Promise<Result> =>
  inTransaction(["changes", "texts"], "readonly", work).catch(() => none);

const pendingOf = (scope: string, ids: readonly string[]): Promise<Pending> =>
  read((stores) => pendingIn(stores, scope, ids), new Map());

/**
 * Requests documents, and lays pending changes over them. Without a connection, documents that were queued whole are there.
 * `isQuery`: new documents of the device are told beside the results.
 */
export async function layPending(
  scope: string,
  ask: () => Promise<LoadedBodies>,
  wanted: string[] | undefined,
  isQuery: boolean,
): Promise<LoadedBodies> {
  const ids = wanted ?? [];
  for (let round = 1; ; round++) {
    const before = await pendingOf(scope, ids);
    const waiting = isQuery ? await read((stores) => numbersIn(stores, scope), []) : [];
    let response: LoadedBodies;
    try {
      response = await ask();
    } catch (error) {
      const isHere = ids.length > 0 && ids.every((id) => before.get(idKey(id))?.text !== undefined);
      if (!isHere || !(error as { outage?: boolean }).outage) throw error;
      return lay({ bodies: [], numbers: new Map() }, before, wanted);
    }
    const after = await pendingOf(scope, [...ids, ...keysIn(response)]);
    const now = (stores: Stores) => Promise.all([numbersIn(stores, scope), unlistedIn(stores, scope)]);
    const [left, unlisted] = isQuery ? await read(now, [[], []]) : [[], []];
    // What was saved since the request began may not be in its response.
    const isSaved =
      [...before.keys()].some((key) => !after.has(key)) || waiting.some((one) => !left.includes(one));
    if (round < ROUNDS && isSaved) continue;
    const texts = [...after].filter(([, { text }]) => text !== undefined);
    const laid = texts.length > 0 ? lay(response, new Map(texts), wanted) : response;
    return withPending(laid, unlisted);
  }
}

/** Throws if changes of documents of a batch are pending: they would overtake it, or conflict with it. */
export async function assertNonePending(scope: string, body: string): Promise<void> {
  const { Commands } = JSON.parse(body) as { Commands: { Id?: string | null }[] };
  const ids = Commands.map(({ Id }) => Id ?? "");
  const pending = await pendingOf(scope, ids);
  const id = ids.find((each) => pending.has(idKey(each)));
  if (id !== undefined)
    fail(
      "InvalidOperation",
      `changes of ${id} wait on this device: call queueChanges(), which keeps their order, or flush() first`,
    );
}
