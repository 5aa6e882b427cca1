// What the device learns of documents from responses and from saves, and from queued changes when the server has saved them.

import { isObject } from "../../common/arguments.js";
import { idKey } from "../../common/id-key.js";
import type { JsonObject } from "../../common/json.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { LoadedBodies, ResponseBody } from "../../loading/request-documents.js";
import { got, type Stores } from "../device/queue-database.js";
import {
  areWhole,
  type ChangeRecord,
  type CommandTexts,
  parsed,
  type StoredCommand,
} from "../device/records.js";
import { doubtSets } from "../sets/set-records.js";
import type { KeptDevice, Sealed } from "./kept-device.js";
import { documentEntry } from "./kept-records.js";
import { type Requested, type Seen, seenIn } from "./requested.js";

/** One part of the response to a `multi_get`. */
interface ResponsePart {
  StatusCode: number;
  Result: ResponseBody;
}

/** What the parts of a response say; `collections`: see `seenIn`. */
export function seenInResponse(
  requested: readonly (Requested | undefined)[],
  route: string,
  { text, numbers }: LoadedBodies,
  collections: readonly string[] | undefined,
): Seen {
  const bodies = text === undefined ? [] : bodiesIn(text, route === "multi_get");
  const seen = requested.flatMap((part, at) => {
    // A 404 without a text: the document does not exist.
    const body = bodies[at] ?? (text === undefined && part?.ids ? { Results: [] } : undefined);
    return part && body ? [seenIn(part, body, numbers, collections)] : [];
  });
  return {
    documents: seen.flatMap(({ documents }) => documents),
    results: seen.flatMap(({ results }) => results),
  };
}

/** One body for each part; `undefined` for a part that was refused or has no text. */
function bodiesIn(text: string, several: boolean): (ResponseBody | undefined)[] {
  const body = JSON.parse(text) as ResponseBody;
  if (!several) return [body];
  const parts = body.Results as unknown[] as ResponsePart[];
  return parts.map(({ StatusCode, Result }) =>
    StatusCode === 404 ? { Results: [] } : StatusCode === 200 ? Result : undefined,
  );
}

/** What is known of the documents of a save. Unknown are those that the server has changed, by patches for instance. */
export type Saved = Required<Pick<Seen, "documents" | "touched" | "unknown">>;

/** What became of a document. `vector` is empty if only the text is known that the device has sent. */
type Outcome =
  | { id: string; document: JsonObject | null; vector: string; isNew?: boolean }
  | { id: string; document?: undefined; isTouched?: boolean };

/** Commands that change the version of a document, and not its text. */
const TOUCHES = /^(Attachment|Counters|TimeSeries|ATTACH|COUNT)/;
const touched = (type: unknown): boolean => TOUCHES.test(String(type));

/** A command as it was sent, and its result. */
interface Command {
  Type?: unknown;
  Id?: string | null;
  Document?: JsonObject;
}

type Result = JsonObject | null | undefined;

/** What a save says; `text`: that of the response. */
export function seenInSave(body: string, text: string, collections: readonly string[] | undefined): Saved {
  const { Commands } = JSON.parse(body) as { Commands: Command[] };
  const { Results } = JSON.parse(text) as { Results: Result[] };
  return savedOf(
    Commands.map((command, at) => outcomeOf(command, Results[at])),
    collections,
  );
}

function outcomeOf({ Type, Id, Document }: Command, result: Result): Outcome {
  const { "@id": made, "@change-vector": vector, "@last-modified": time } = result ?? {};
  const id = typeof made === "string" ? made : (Id ?? "");
  if (Type === "DELETE") return { id, document: null, vector: "" };
  if (Type !== "PUT" || !Document || typeof vector !== "string") return { id, isTouched: touched(Type) };
  return { id, document: saved(Document, id, vector, time), vector };
}

/**
 * What a queued change says that is saved. `vectors`: the change vectors of the response, by the numbers of documents; `undefined`: there
 * was none that could be used.
 */
function seenInSettled(
  commands: readonly StoredCommand[],
  texts: readonly CommandTexts[],
  vectors: ReadonlyMap<number, string> | undefined,
  collections: readonly string[] | undefined,
): Saved {
  const outcomes = commands.map(({ kind, id, document: number }, at): Outcome => {
    const { text = null, before = null } = texts[at] ?? {};
    const vector = vectors?.get(number) ?? "";
    if (kind === "DELETE" && vectors) return { id, document: null, vector: "" };
    const put = kind === "PUT" && parsed(text);
    if (!put) return { id, isTouched: touched(kind) };
    return { id, document: saved(put, id, vector, new Date().toISOString()), vector, isNew: before === null };
  });
  return savedOf(outcomes, collections);
}

function saved(document: JsonObject, id: string, vector: string, time: unknown): JsonObject {
  const sent = isObject(document[META]) ? document[META] : {};
  const metadata = { ...sent, "@id": id, "@change-vector": vector, "@last-modified": time };
  return { ...document, [META]: metadata };
}

/** The last outcome of each document. */
function savedOf(outcomes: readonly Outcome[], collections: readonly string[] | undefined): Saved {
  const last = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const key = idKey(outcome.id);
    const before = last.get(key);
    if (outcome.document !== undefined) last.set(key, outcome);
    // An attachment, or a script, has changed what was put.
    else if (before?.document) last.set(key, { ...before, vector: "" });
    else if (!before || !outcome.isTouched) last.set(key, outcome);
  }
  const all: Saved = { documents: [], touched: [], unknown: [] };
  for (const outcome of last.values()) {
    const { id, document } = outcome;
    if (id === "") continue;
    if (document === undefined) {
      (outcome.isTouched ? all.touched : all.unknown).push(id);
      continue;
    }
    const collection = (document?.[META] as JsonObject | undefined)?.["@collection"];
    if (document && collections && !collections.includes(collection as string)) continue;
    const { vector, isNew = false } = outcome;
    all.documents.push({ id, text: document && JSON.stringify(document), vector, isNew });
  }
  return all;
}

/** Documents of which changes were saved: their ids, and their collections. */
export type SavedKeys = readonly (readonly [id: string, collection: string])[];

/** The change vectors of a response, by the numbers of documents. */
type Vectors = ReadonlyMap<number, string>;

/** Changes of one transaction are settled one after the other: each reads what the one before has written. */
const settled = new WeakMap<Stores, Promise<void>>();

/** Resolves in the transaction when it has settled the changes that were removed until now; never rejects. */
export const settledIn = (stores: Stores): Promise<void> => settled.get(stores) ?? Promise.resolve();

export type Settle = ReturnType<typeof settling>;

/**
 * Settles the changes of one batch. `sealed`: when the batch was; `refresh` is called with the ids of documents whose newest version is
 * not known.
 */
export function settling(
  device: KeptDevice,
  sealed: Sealed,
  collections: readonly string[] | undefined,
  refresh: (ids: readonly string[]) => void,
) {
  let ends: (() => void)[] = [];
  let lost: string[] = [];
  let saved: [id: string, collection: string][] = [];

  async function settle(
    stores: Stores,
    { commands, version }: ChangeRecord,
    vectors: Vectors | undefined,
    texts: unknown,
  ): Promise<void> {
    const known = areWhole(texts, commands) ? texts : commands.map(() => ({ text: null, before: null }));
    const seen = seenInSettled(commands, known, vectors, collections);
    // What was in flight when a new version of the app began has the text of before.
    for (const document of seen.documents) document.version = version;
    const [unknown, end] = await device.settle(stores, seen, sealed);
    lost = lost.concat(unknown);
    ends.push(end);
  }

  return {
    /** The transaction begins; it may begin again if it has failed. */
    begin(): void {
      ends = [];
      lost = [];
      saved = [];
    },
    /** A change is removed in this transaction because it is saved. `vectors`: those of the response, if there is one. */
    removed(stores: Stores, record: ChangeRecord, vectors: Vectors | undefined): void {
      for (const { id, collection } of record.commands) saved.push([id, collection]);
      // At once: the texts are removed in this transaction, too.
      const texts = got<unknown>(stores.texts.get([record.scope, record.number]));
      texts.catch(() => {});
      const after = settledIn(stores)
        .then(async () => settle(stores, record, vectors, await texts))
        .catch(async () => {
          for (const { id } of record.commands) stores.kept.delete([record.scope, documentEntry(id)]);
          await doubtSets(stores, record.scope);
        });
      settled.set(
        stores,
        after.catch(() => {}),
      );
    },
    /** The transaction is complete; returns what was saved. */
    completed(): SavedKeys {
      for (const end of ends) end();
      if (lost.length > 0) refresh(lost);
      return saved;
    },
  };
}
