// Answers a request from the device: from what is kept, with pending changes laid over it, in one transaction.

import { isObject } from "../../common/arguments.js";
import { RavenEdgeError } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { put } from "../../documents/snapshots/put-member.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { LoadedBodies, ResponseBody } from "../../loading/request-documents.js";
import { got, type Stores } from "../device/queue-database.js";
import { type PendingDocument, type PendingTexts, shown, withPending } from "../overlay.js";
import { pendingIn, unlistedIn } from "../pending-documents.js";
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

/** An entry, and its text. */
interface Entry {
  record: KeptRecord;
  text: string | undefined;
}

/** Thrown inside: something is not on the device. */
class NotKept extends Error {}

export class KeptReader {
  readonly #stores;
  readonly #origin;
  readonly #scope;
  readonly #times = new Map<string, number>();
  readonly #used = new Set<string>();
  readonly #numbers = new Map<string, string[]>();

  constructor(stores: Stores, origin: string, scope: string) {
    this.#stores = stores;
    this.#origin = origin;
    this.#scope = scope;
  }

  /** Answers the parts of a request. */
  async answer(requested: readonly Requested[]): Promise<KeptAnswer | Missing> {
    const bodies: ResponseBody[] = [];
    try {
      for (const each of requested)
        bodies.push(each.ids ? await this.#documents(each) : await this.#results(each));
    } catch (error) {
      if (error instanceof NotKept) return { missing: error.message };
      throw error;
    }
    const answer = { bodies, numbers: this.#numbers };
    const isQuery = requested.some((each) => each.name !== undefined && each.isQuery);
    const laid = isQuery ? await this.withNew(answer, requested) : answer;
    return { ...laid, times: this.#times, used: [...this.#used] };
  }

  /**
   * Tells the documents of the device that results may lack: those that wait, and new ones that were saved since. `began`: the clock when
   * the server was asked; absent for results that are kept.
   */
  async withNew(
    response: LoadedBodies,
    requested: readonly (Requested | undefined)[],
    began?: number,
  ): Promise<LoadedBodies> {
    const unlisted = await unlistedIn(this.#stores, this.#scope);
    const keeps = await got<unknown>(this.#stores.keeps.get(this.#origin));
    const all = isKeeps(keeps) && keeps.scope === this.#scope ? (keeps.created ?? []) : [];
    const saved = response.bodies.map(async (body, at) => {
      const { name } = requested[at] ?? {};
      if (name === undefined || body instanceof RavenEdgeError || all.length === 0) return [];
      const known = (await this.#entry(resultsEntry(name)))?.record;
      const since = missingSince(known, began === undefined || body.IsStale === true, began ?? 0);
      return Object.values(await this.#found(all.filter(([, at]) => at > since).map(([id]) => id)));
    });
    return withPending(response, unlisted, await Promise.all(saved));
  }

  async #documents({ ids, paths }: Requested & { ids: readonly string[] }): Promise<ResponseBody> {
    const Results = await this.#all(ids);
    const included = Results.flatMap((document) =>
      document ? paths.flatMap((path) => idsAt(document, path)) : [],
    );
    return { Results: Results as ServerDocument[], Includes: await this.#found(included) };
  }

  async #results({ name }: Requested & { name: string }): Promise<ResponseBody> {
    const key = resultsEntry(name);
    const { record, text } = (await this.#entry(key)) ?? {};
    if (!record || text === undefined) throw new NotKept("these results");
    const { rows, includes, rest } = JSON.parse(text) as KeptResults;
    this.#used.add(key);
    const ids = rows.filter((row) => typeof row === "string");
    const documents = await this.#all(ids);
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
      Includes: await this.#found(includes),
    } as ResponseBody;
  }

  async #all(ids: readonly string[]): Promise<(ServerDocument | null)[]> {
    const pending = await pendingIn(this.#stores, this.#scope, ids);
    return Promise.all(ids.map((id) => this.#document(id, pending)));
  }

  /** Those that the device has. */
  async #found(ids: readonly string[]): Promise<Record<string, ServerDocument>> {
    const pending = await pendingIn(this.#stores, this.#scope, ids);
    const found: Record<string, ServerDocument> = {};
    const add = async (id: string) => {
      const document = await this.#document(id, pending).catch(() => null);
      if (document) put(found, id, document);
    };
    await Promise.all([...new Set(ids)].map(add));
    return found;
  }

  /** A document as the device has it; `null` if it does not exist. */
  async #document(id: string, pending: PendingTexts): Promise<ServerDocument | null> {
    const key = documentEntry(id);
    const change = pending.get(key.slice(1));
    const { record, text } = (await this.#entry(key)) ?? {};
    if (record) this.#used.add(key);
    if (change?.text !== undefined) return shown(change as PendingDocument);
    if (!record || record.kind === FORGOTTEN) throw new NotKept(id);
    this.#times.set(key.slice(1), record.time);
    if (record.kind === ABSENT) return null;
    const document = parse(text) ?? throwNotKept(id);
    if (record.inexact) this.#numbers.set(document[META]["@id"], record.inexact);
    return document;
  }

  async #entry(key: string): Promise<Entry | undefined> {
    const at: [string, string] = [this.#scope, key];
    const [record, text] = await Promise.all([
      got<unknown>(this.#stores.kept.get(at)),
      got<unknown>(this.#stores.keptTexts.get(at)),
    ]);
    if (!isKept(record)) return undefined;
    return { record, text: typeof text === "string" ? text : undefined };
  }
}

function throwNotKept(id: string): never {
  throw new NotKept(id);
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
