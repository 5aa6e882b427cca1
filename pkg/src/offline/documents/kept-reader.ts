// Answers a request from the device: from what is kept, with pending changes laid over it, in one transaction.

import { isObject } from "../../common/arguments.js";
import { RavenEdgeError } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { put } from "../../documents/snapshots/put-member.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { LoadedBodies, ResponseBody } from "../../loading/request-documents.js";
import { got, type Stores } from "../device/queue-database.js";
import type { SetDeclaration } from "../offline-types.js";
import { type PendingDocument, type PendingTexts, shown, withPending } from "../overlay.js";
import { pendingIn, unlistedIn } from "../pending-documents.js";
import { declaredAs, type SetRecord, setIn, setKey } from "../sets/set-records.js";
import {
  ABSENT,
  documentEntry,
  FORGOTTEN,
  isKeeps,
  isKept,
  type KeptRecord,
  type KeptResults,
  missingSince,
  resultsEntry,
  type UpgradeKept,
} from "./kept-records.js";
import type { Requested } from "./requested.js";

/** What the device has to answer a request. */
export interface KeptAnswer extends LoadedBodies {
  /** When each document was kept, by the keys of their ids; absent for those of which the device has only a change. */
  times: Map<string, number>;
  /** The entries that were used. */
  used: string[];
}

/** What is not on the device. */
export interface Missing {
  missing: string;
}

/** A set that has all results of a query, if there are at most `take`; absent: however many there are. */
export interface AnsweringSet {
  name: string;
  declaration: SetDeclaration;
  take: number | undefined;
}

/** Thrown inside: something is not on the device. */
class NotKept extends Error {}

export type KeptReader = ReturnType<typeof keptReader>;

/** Reads in one transaction. */
export function keptReader(stores: Stores, origin: string, scope: string, upgrade: UpgradeKept | undefined) {
  const times = new Map<string, number>();
  const used = new Set<string>();
  const numbers = new Map<string, string[]>();
  /** The sets that have given results, by the names of the results. */
  const answering = new Map<string, SetRecord>();

  /** Answers the parts of a request; `sets`: for each part the set that has its results. */
  async function answer(
    requested: readonly Requested[],
    sets: readonly (AnsweringSet | undefined)[],
  ): Promise<KeptAnswer | Missing> {
    const bodies: ResponseBody[] = [];
    try {
      for (const [at, each] of requested.entries())
        bodies.push(each.ids ? await documentsOf(each) : await resultsOf(each, sets[at]));
    } catch (error) {
      if (error instanceof NotKept) return { missing: error.message };
      throw error;
    }
    const answer = { bodies, numbers };
    const isQuery = requested.some((each) => each.name !== undefined && each.isQuery);
    const laid = isQuery ? await withNew(answer, requested) : answer;
    return { ...laid, times, used: [...used] };
  }

  /**
   * Tells the documents of the device that results may lack: those that wait, and new ones that were saved since. `began`: the clock when
   * the server was asked; absent for results that are kept.
   */
  async function withNew(
    response: LoadedBodies,
    requested: readonly (Requested | undefined)[],
    began?: number,
  ): Promise<LoadedBodies> {
    const unlisted = await unlistedIn(stores, scope);
    const keeps = await got<unknown>(stores.keeps.get(origin));
    const all = isKeeps(keeps) && keeps.scope === scope ? (keeps.created ?? []) : [];
    const saved = response.bodies.map(async (body, at) => {
      const { name } = requested[at] ?? {};
      if (name === undefined || body instanceof RavenEdgeError || all.length === 0) return [];
      const known = (await entryIn(stores, scope, resultsEntry(name)))?.record;
      const since =
        answering.get(name)?.clock ??
        missingSince(known, began === undefined || body.IsStale === true, began ?? 0);
      return Object.values(await foundOf(all.filter(([, at]) => at > since).map(([id]) => id)));
    });
    return withPending(response, unlisted, await Promise.all(saved));
  }

  async function documentsOf({ ids, paths }: Requested & { ids: readonly string[] }): Promise<ResponseBody> {
    const Results = await allOf(ids);
    const included = Results.flatMap((document) =>
      document ? paths.flatMap((path) => idsAt(document, path)) : [],
    );
    return { Results: Results as ServerDocument[], Includes: await foundOf(included) };
  }

  async function resultsOf(
    { name }: Requested & { name: string },
    set: AnsweringSet | undefined,
  ): Promise<ResponseBody> {
    const key = resultsEntry(name);
    const { record, text } = (await entryIn(stores, scope, key)) ?? {};
    const kept = text === undefined ? undefined : (JSON.parse(text) as KeptResults);
    const ofSet = set && (await resultsOfSet(name, set, record, kept?.rows ?? []));
    if (ofSet) return ofSet;
    if (!record || !kept) throw new NotKept("these results");
    const { rows, includes, rest } = kept;
    used.add(key);
    const ids = rows.filter((row) => typeof row === "string");
    const documents = await allOf(ids);
    const byId = new Map(ids.map((id, at) => [id, documents[at]]));
    // Without those that were deleted since.
    const Results = rows
      .map((row) => (typeof row === "string" ? byId.get(row) : row))
      .filter((document) => document !== null);
    return {
      ...rest,
      KeptAt: new Date(record.time).toISOString(),
      Removed: rows.length - Results.length,
      Results: Results as ServerDocument[],
      Includes: await foundOf(includes),
    } as ResponseBody;
  }

  /**
   * The documents of a set as results, in the order of the results that were kept before; `undefined` if these are as new as the set, if
   * it was never complete, or has more documents than are asked for: the device does not know which are the first.
   */
  async function resultsOfSet(
    results: string,
    { name, declaration, take = Number.POSITIVE_INFINITY }: AnsweringSet,
    known: KeptRecord | undefined,
    rows: KeptResults["rows"],
  ): Promise<ResponseBody | undefined> {
    const set = await setIn(stores, scope, name);
    if (set?.declared !== declaredAs(declaration) || set.syncedAt === undefined) return undefined;
    if (known && (known.since ?? known.at) >= set.clock) return undefined;
    const entries = await got(stores.kept.index("sets").getAllKeys(setKey(scope, name)));
    if (entries.length > take) return undefined;
    answering.set(results, set);
    const order = new Map(rows.map((row, at) => [typeof row === "string" ? documentEntry(row) : "", at]));
    const placeOf = (key: string): number => order.get(key) ?? rows.length;
    const keys = entries.map((entry) => (entry as [string, string])[1]);
    const all = await allOf(keys.sort((a, b) => placeOf(a) - placeOf(b)).map((key) => key.slice(1)));
    const Results = all.filter((document) => document !== null);
    const { collection } = declaration;
    return {
      IsStale: !set.isComplete,
      KeptAt: new Date(set.syncedAt).toISOString(),
      Next: null,
      TotalResults: all.length,
      Removed: all.length - Results.length,
      Results,
      ...(collection !== undefined && { Collections: [collection] }),
    } as ResponseBody;
  }

  async function allOf(ids: readonly string[]): Promise<(ServerDocument | null)[]> {
    const [pending, entries] = await read(ids);
    return ids.map((id, at) => {
      const document = documentOf(id, pending, entries[at]);
      if (document === undefined) throw new NotKept(id);
      return document;
    });
  }

  /** Those that the device has. */
  async function foundOf(ids: readonly string[]): Promise<Record<string, ServerDocument>> {
    const all = [...new Set(ids)];
    const [pending, entries] = await read(all);
    const found: Record<string, ServerDocument> = {};
    for (const [at, id] of all.entries()) {
      const document = documentOf(id, pending, entries[at]);
      if (document) put(found, id, document);
    }
    return found;
  }

  /** What is pending and what is kept of documents. */
  function read(ids: readonly string[]): Promise<[PendingTexts, Entry[]]> {
    return Promise.all([
      pendingIn(stores, scope, ids),
      Promise.all(ids.map((id) => entryIn(stores, scope, documentEntry(id)))),
    ]);
  }

  /** A document as the device has it; `null` if it does not exist, `undefined` if that is not known. */
  function documentOf(id: string, pending: PendingTexts, entry: Entry): ServerDocument | null | undefined {
    const key = documentEntry(id);
    const change = pending.get(key.slice(1));
    const { record, text } = entry ?? {};
    // What belongs to a set stays, whether it is used or not.
    if (record && !record.sets) used.add(key);
    if (change?.text !== undefined) return shown(change as PendingDocument);
    if (!record || record.kind === FORGOTTEN) return undefined;
    times.set(key.slice(1), record.time);
    if (record.kind === ABSENT) return null;
    const document = parse(text);
    if (document && record.inexact) numbers.set(document[META]["@id"], record.inexact);
    return document && (upgrade?.(document, record.version) ?? document);
  }

  return { answer, withNew };
}

type Entry = Awaited<ReturnType<typeof entryIn>>;

/** An entry of what is kept, and its text. */
export async function entryIn({ kept, keptTexts }: Stores, scope: string, key: string) {
  const [record, text] = await Promise.all([
    got<unknown>(kept.get([scope, key])),
    got<unknown>(keptTexts.get([scope, key])),
  ]);
  return isKept(record) ? { record, text: typeof text === "string" ? text : undefined } : undefined;
}

function parse(text: string | undefined): ServerDocument | undefined {
  try {
    const document = JSON.parse(text ?? "null") as (JsonObject & ServerDocument) | null;
    return document ?? undefined;
  } catch {
    return undefined;
  }
}

/** `customerId(customers/)`: what the document contains is the end of the id. */
const PREFIXED = /^(.*)\(([^)]*)\)$/;

/** The ids at a path, such as `customerId`, `lines[].product` or `address.cityId`. */
export function idsAt(document: object, path: string): string[] {
  const [, inner = path, prefix = ""] = PREFIXED.exec(path) ?? [];
  let values: unknown[] = [document];
  for (const name of inner.split(".").map((part) => part.replace(/\[\]$/, "")))
    values = values.flatMap((value) => membersOf(value, name));
  return values.filter((value) => typeof value === "string" && value !== "").map((id) => prefix + id);
}

function membersOf(value: unknown, name: string): unknown[] {
  const member =
    name === "" ? value : isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return Array.isArray(member) ? member.flat(Number.POSITIVE_INFINITY) : [member];
}
