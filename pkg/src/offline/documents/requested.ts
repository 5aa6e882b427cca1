// What requests of sessions ask for, and what their responses say: what of it can be kept, and given again without a connection.

import { isObject } from "../../common/arguments.js";
import { idKey } from "../../common/id-key.js";
import type { JsonObject } from "../../common/json.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { idOf, META } from "../../documents/snapshots/snapshot-values.js";
import type { InexactNumbers, ResponseBody } from "../../loading/request-documents.js";
import type { Names } from "../../named/shared-names-types.js";
import type { SeenDocument, SeenResults } from "./kept-records.js";

/** Documents by ids, with paths of includes; or results, by a name that tells them from others. */
export type Requested =
  | { ids: readonly string[]; paths: readonly string[]; name?: undefined }
  | { ids?: undefined; name: string; isQuery: boolean };

/** What a response says. */
export interface Seen {
  documents: SeenDocument[];
  results?: SeenResults[];
  /** The ids of documents whose newest version is not known any more. */
  unknown?: string[];
}

/** Documents of the package's own: they are of no use to apps. */
const OWN = /^Raven(-Edge)?\//i;
const SCORE = "@index-score";

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
  return { name: JSON.stringify([decodeURIComponent(name), sorted(Parameters), ...page]), isQuery: true };
}

/** A query that the client sends as a text: kept, if the store gives it a name. */
function direct(names: Names | undefined, given: JsonObject): Requested | undefined {
  const { Query, QueryParameters, PageSize, Start } = given;
  const name = Object.entries(names?.queries ?? {}).find(([, { query }]) => query === Query)?.[0];
  if (name === undefined) return undefined;
  const page = [PageSize ?? null, Start ?? 0];
  return { name: JSON.stringify([name, sorted(QueryParameters), ...page]), isQuery: true };
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

/** The same value with the members of its objects in one order. */
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
