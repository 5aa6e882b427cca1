// What requests of sessions ask for, and what their responses say: what of it can be kept, and given again without a connection.

import { checkNames, isObject } from "../../common/arguments.js";
import { fail, RavenEdgeError } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import type { JsonObject } from "../../common/json.js";
import type { Entity, ServerDocument } from "../../documents/entity-types.js";
import { idOf, META } from "../../documents/snapshots/snapshot-values.js";
import type { NamedQuery } from "../../gateway/options-types.js";
import type { InexactNumbers, LoadedBodies, ResponseBody } from "../../loading/request-documents.js";
import type { NamedQueryOptions, Names, Resolved } from "../../named/named-definitions.js";
import { plain } from "../../query/query-parameters.js";
import type { RawDocumentQuery } from "../../query/raw-query.js";
import { loadPart } from "../../runtime/load-part.js";
import type { DocumentSession } from "../../session/advanced.js";
import type { SessionState } from "../../session/session-state.js";
import type { StoreBase } from "../../store/store.js";
import type { NamedPages } from "../offline-types.js";
import { keysIn } from "../overlay.js";
import type { KeptAnswer, Missing } from "./kept-reader.js";
import type { SeenDocument, SeenResults } from "./kept-records.js";

/** Documents by ids, with paths of includes; or results, by a name that tells them from others. */
export type Requested =
  | { ids: readonly string[]; paths: readonly string[]; name?: undefined; first?: undefined }
  | { ids?: undefined; name: string; isQuery: boolean; first?: FirstResults };

/** A query by its name, from its first result on. A set that has all of them can answer it. */
export interface FirstResults {
  named: string;
  /** The values of its parameters as a text, their names in order. */
  values: string;
  /** The most results; absent: all. */
  take?: number;
}

/** What a response says. */
export interface Seen {
  documents: SeenDocument[];
  results?: SeenResults[];
  /** The ids of documents with the text of before, and a version that is not known: an attachment or a counter of them was saved. */
  touched?: string[];
  /** The ids of documents whose newest version is not known any more. */
  unknown?: string[];
}

/** Documents of the package's own: they are of no use to apps. */
const OWN = /^Raven(-Edge)?\//i;
const SCORE = "@index-score";
/** What a client behind a gateway asks for at once, if the app wants all results. */
const ALL = 1_024;

/**
 * What a request asks for, one for each part of a `multi_get`; `undefined` for what cannot be kept. `names`: the queries that the
 * store defines; without them a gateway does. `wanted`: the requested ids.
 */
export function requestedBy(
  names: Names | undefined,
  route: string,
  body: string | undefined,
  wanted: readonly string[] | undefined,
): (Requested | undefined)[] {
  const [path = "", search = ""] = route.split("?", 2);
  if (wanted) return [{ ids: wanted, paths: new URLSearchParams(search).getAll("include") }];
  if (path === "docs") return [listing(search)];
  const given = body === undefined ? {} : (JSON.parse(body) as JsonObject);
  if (path.startsWith("queries/named/")) return [throughGateway(path.slice(14), given)];
  if (path === "queries") return [direct(names, given)];
  if (path === "multi_get") return (given.Requests as JsonObject[]).map((part) => partOf(names, part));
  return [undefined];
}

const listing = (search: string): Requested => ({ name: `docs?${search}`, isQuery: false });

function throughGateway(name: string, { Parameters, PageSize, Skip, Next }: JsonObject): Requested {
  const page = [PageSize ?? null, Skip ?? 0, Next ?? null];
  const named = decodeURIComponent(name);
  const take = PageSize === ALL ? undefined : PageSize;
  return resultsOf(named, Parameters, page, !Skip && !Next, take);
}

function resultsOf(
  named: string,
  parameters: unknown,
  page: unknown[],
  isFirst: boolean,
  take: unknown,
): Requested {
  const first = {
    named,
    values: valuesText(parameters),
    ...(take !== undefined && { take: take as number }),
  };
  const name = JSON.stringify([named, sorted(parameters), ...page]);
  return { name, isQuery: true, ...(isFirst && { first }) };
}

/** Values of parameters: the same text for the same values. */
export const valuesText = (values: unknown): string => JSON.stringify(sorted(values ?? {}));

/** The parameters of a set as queries send them. */
export const sentParameters = (parameters: object = {}): object =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, plain(value)]));

/** A query by its name, with all its values, for a client that sends them itself; `undefined`: a gateway has the query. */
export async function ownQuery(
  store: StoreBase,
  named: string,
  parameters: object | undefined,
): Promise<Resolved<NamedQuery> | undefined> {
  if (!store.definitions) return undefined;
  const { resolve } = await loadPart("named");
  const session = store.openSession({ noTracking: true }) as DocumentSession;
  try {
    return resolve({ store, session }, "queries", named, sentParameters(parameters));
  } finally {
    session.dispose();
  }
}

/** A query that the client sends as a text: kept, if the store gives it a name. */
function direct(names: Names | undefined, given: JsonObject): Requested | undefined {
  const { Query, QueryParameters, PageSize, Start } = given;
  const name = Object.entries(names?.queries ?? {}).find(([, { query }]) => query === Query)?.[0];
  if (name === undefined) return undefined;
  return resultsOf(name, QueryParameters, [PageSize ?? null, Start ?? 0], !Start, PageSize);
}

function partOf(
  names: Names | undefined,
  { Url, Query, Headers, Content }: JsonObject,
): Requested | undefined {
  // With `If-None-Match` it asks whether something has changed.
  if (isObject(Headers) && Object.keys(Headers).length > 0) return undefined;
  if (String(Url).endsWith("/queries")) return direct(names, Content as JsonObject);
  const search = String(Query).slice(1);
  const parameters = new URLSearchParams(search);
  const ids = parameters.getAll("id");
  return ids.length > 0 ? { ids, paths: parameters.getAll("include") } : listing(search);
}

/** The value with the members of its objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * What a response says, as far as it is to be kept. `collections`: those whose documents are kept; `undefined`: all.
 */
export function seenIn(
  requested: Requested,
  { Results, Includes = {}, ...rest }: ResponseBody,
  numbers: InexactNumbers,
  collections: readonly string[] | undefined,
): Required<Pick<Seen, "documents" | "results">> {
  const included = Object.values(Includes).filter(idOf);
  const found = [...Results.filter(idOf), ...included];
  const isWanted = ({ [META]: metadata }: ServerDocument) => isOf(metadata["@collection"], collections);
  const documents = found.filter(isWanted).map((document) => seenDocument(document, numbers));
  if (requested.ids) {
    const there = new Set(Results.map((document) => idKey(idOf(document) ?? "")));
    const absent = requested.ids.filter((id) => !there.has(idKey(id)) && !OWN.test(id));
    const missing = absent.map((id): SeenDocument => ({ id, text: null, vector: "" }));
    return { documents: [...documents, ...missing], results: [] };
  }
  // Results of which a part is not kept could not be shown as a whole.
  const areKept = Results.every((document) => isOf(document?.[META]?.["@collection"], collections));
  if (!areKept) return { documents, results: [] };
  const rows = Results.map((document) => idOf(document) ?? (document as JsonObject));
  const includes = included.map((document) => idOf(document) as string);
  return { documents, results: [{ name: requested.name, results: { rows, includes, rest } }] };
}

function isOf(collection: unknown, collections: readonly string[] | undefined): boolean {
  if (collections) return typeof collection === "string" && collections.includes(collection);
  return collection !== "@hilo" && collection !== "@raven-edge";
}

function seenDocument(document: ServerDocument, numbers: InexactNumbers): SeenDocument {
  const { [SCORE]: _, ...metadata } = document[META] as object as JsonObject;
  const id = metadata["@id"] as string;
  const vector = metadata["@change-vector"];
  return {
    id,
    text: JSON.stringify({ ...document, [META]: metadata }),
    vector: typeof vector === "string" ? vector : "",
    inexact: numbers.get(id),
  };
}

/** The most ids of a request. */
const IDS = 500;

/** A session of an entry with queries. */
type QuerySession = DocumentSession & { query?(options: NamedQueryOptions<Names, object>): RawDocumentQuery };

/** Documents by ids, or the results of a query by name; resolves when they have come. */
export async function prefetch(store: StoreBase, what: readonly string[] | NamedPages): Promise<void> {
  const session: QuerySession = store.openSession({ noTracking: true, offline: "never" });
  try {
    session.advanced.maxNumberOfRequestsPerSession = Number.MAX_SAFE_INTEGER;
    if (Array.isArray(what)) {
      for (let at = 0; at < what.length; at += IDS) await session.load(what.slice(at, at + IDS));
      return;
    }
    if (!isObject(what)) fail("InvalidArgument", "prefetch takes ids, or { named, parameters, skip, take }");
    checkNames("option of prefetch:", what, ["named", "parameters", "skip", "take"]);
    const { named, parameters = {}, skip, take } = what as NamedPages;
    const query =
      session.query?.({ named, parameters }) ?? fail("Unsupported", "raven-edge/session has no queries");
    if (skip !== undefined) query.skip(skip);
    if (take !== undefined) query.take(take);
    await query.all();
  } finally {
    session.dispose();
  }
}

/** No request has reached the server; what a network's own page answers is none of its responses. */
export function isOutage(error: unknown): boolean {
  const { outage, code } = Object(error) as Partial<RavenEdgeError>;
  return !!outage || code === "BadAnswer";
}

/** What a read is rejected with. `isKeepable`: the device could have what is read. */
export function unreachable(kept: KeptAnswer | Missing, cause: unknown, isKeepable: boolean): unknown {
  const { code, message } = Object(cause) as Partial<RavenEdgeError>;
  if (cause && (!isKeepable || code === "BadAnswer")) return cause;
  const what = "missing" in kept ? kept.missing : "this";
  const why = message ? `: ${message}` : "";
  return new RavenEdgeError("Unreachable", `${what} is not kept on this device${why}`, {
    cause,
    outage: true,
  });
}

/** When documents of sessions were kept, by the keys of their ids. */
const times = new WeakMap<SessionState, Map<string, number>>();

/** The documents come from the device. */
export function fromDevice(state: SessionState, kept: ReadonlyMap<string, number>): void {
  const known = times.get(state) ?? new Map<string, number>();
  for (const [key, time] of kept) known.set(key, time);
  times.set(state, known);
}

/** The documents come from the server. */
export function fromServer(state: SessionState, response: LoadedBodies): void {
  const known = times.get(state);
  if (known) for (const key of keysIn(response)) known.delete(key);
}

/** When a document of a session was kept; `null` if it comes from the server. */
export function keptAt(state: SessionState, entity: object): Date | null {
  // An untracked entity shows its id.
  const id = state.unitOfWork.idOf(entity) ?? (entity as Entity)["@metadata"]?.["@id"];
  const time = times.get(state)?.get(idKey(id ?? ""));
  return time === undefined ? null : new Date(time);
}
