// The requests of sets: comparisons, by a gateway or with RavenDB itself; documents by their ids, and all of them as a stream. A gateway is told
// whose device asks: another tab may have signed in as somebody else.

import { RavenEdgeError } from "../../common/error.js";
import { within } from "../../common/time.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import { loadPart } from "../../runtime/load-part.js";
import { bodyReader, IncrementalParser } from "../../stream/incremental-parser.js";
import { ask } from "../../wire/command-request.js";
import { byIds } from "../../wire/documents-request.js";
import type { StreamedBody } from "../../wire/http-request.js";
import { inexact } from "../../wire/inexact-numbers.js";
import type { SeenDocument } from "../documents/kept-records.js";
import { ownQuery, seenIn, sentParameters } from "../documents/requested.js";
import type { DeviceSetOptions } from "./set-handle.js";
import { BUCKETS, hashesOf, keyOf, type SentSums, Sums } from "./sums.js";

/** Objects and lists that are open inside a document of a response, and inside one of a list. */
const DOCUMENT_DEPTH = 3;
const ITEM_DEPTH = 2;

const NOTHING = new Uint8Array();

/** Ids and change vectors in turn, of the buckets that differ. */
export type Differing = ReadonlyMap<number, readonly string[]>;

/** What a comparison says. */
export type Comparison =
  | { isSame: true }
  | { isSame: false; isStale: boolean; etag: string | null; differing: Differing };

interface GatewayResponse {
  Same?: true;
  IsStale: boolean;
  Etag: string | null;
  Differing: [bucket: number, ...pairs: string[]][];
}

/** A query of a client without a gateway. */
interface OwnQuery {
  Query: string;
  QueryParameters: object;
}

/** The query for all documents of a collection. */
const queryFor = (collection: string): OwnQuery => ({
  Query: `from '${collection.replace(/['\\]/g, "\\$&")}'`,
  QueryParameters: {},
});

/** A part of the response to `multi_get`. */
interface Probed {
  StatusCode: number;
  Result: { NodeTag?: unknown; IsStale?: unknown } | null;
}

const base64Url = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3_000)
    // A few items: at most 3,000.
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + 3_000)));
  return text.replace(/[+/=]/g, (letter) => ({ "+": "-", "/": "_" })[letter] ?? "");
};

export class SetRequests {
  readonly #options;

  constructor(options: DeviceSetOptions) {
    this.#options = options;
  }

  /** Without a gateway, `store.named` says what queries are. */
  async compare(etag: string | null, sent: SentSums): Promise<Comparison> {
    const { definitions } = this.#options.store;
    const comparison = definitions ? await this.#direct(etag, sent) : await this.#throughGateway(etag, sent);
    if (comparison.isSame && etag === null) throw flawed();
    return comparison;
  }

  async #throughGateway(etag: string | null, { key, sums }: SentSums): Promise<Comparison> {
    const members = { Etag: etag, Key: base64Url(key), Sums: base64Url(sums) };
    const { route, text } = this.#named(members);
    const response = parsed<GatewayResponse>(await this.#ask(`${route}/sync`, text));
    if (response.Same === true) return { isSame: true };
    const { IsStale: isStale, Etag, Differing } = response;
    if (typeof isStale !== "boolean" || !Array.isArray(Differing)) throw flawed();
    return {
      isSame: false,
      isStale,
      etag: Etag,
      differing: new Map(Differing.map(([at, ...pairs]) => [at, pairs])),
    };
  }

  /** The route of the query and the body of a request about it, through a gateway. */
  #named(members: object): { route: string; text: string } {
    const { named = this.#options.name, parameters } = this.#options.declaration;
    const Parameters = sentParameters(parameters);
    const text = JSON.stringify({ User: this.#options.user, Parameters, ...members });
    return { route: `queries/named/${encodeURIComponent(named)}`, text };
  }

  async #query(): Promise<OwnQuery> {
    const { named, parameters, collection = "" } = this.#options.declaration;
    if (named === undefined) return queryFor(collection);
    const { definition, values } = (await ownQuery(this.#options.store, named, parameters)) ?? {};
    return { Query: definition?.query ?? "", QueryParameters: values ?? {} };
  }

  /** Does what the gateway does: RavenDB's ETag from before the results are read, then ids and change vectors of all of them. */
  async #direct(etag: string | null, { key, sums }: SentSums): Promise<Comparison> {
    const query = await this.#query();
    const { collectionIn } = await loadPart("named");
    const collection = collectionIn(query.Query);
    const probes = [...(collection === undefined ? [] : [queryFor(collection)]), query];
    const Url = `/databases/${encodeURIComponent(this.#options.store.database)}/queries`;
    const Requests = probes.map((each) => ({
      Url,
      Query: "",
      Method: "POST",
      Content: { ...each, PageSize: 0 },
    }));
    const probed = await this.#ask("multi_get", JSON.stringify({ Requests }));
    const parts = bodyOf<Probed>(probed).Results.map(({ StatusCode, Result }) => {
      if (StatusCode === 200 && Result) return Result;
      throw new RavenEdgeError(
        "Server",
        `the query of the set ${this.#options.name} fails with status ${StatusCode}`,
      );
    });
    // Not as numbers: JavaScript does not hold all of their digits. There are no results, so this occurs in each part once.
    const etags = probed.match(/"ResultEtag":-?\d+/g);
    if (etags?.length !== probes.length)
      throw new RavenEdgeError("BadAnswer", "RavenDB gives no ETags of queries");
    const before = JSON.stringify([query, etags, parts.map(({ NodeTag }) => NodeTag)]);
    const areCurrent = parts.every(({ IsStale }) => IsStale === false);
    if (areCurrent && etag === before) return { isSame: true };
    const text = await this.#ask("queries?metadataOnly=true", JSON.stringify(query));
    const { Results, IsStale } = bodyOf<ServerDocument>(text);
    const isStale = IsStale !== false;
    const buckets: string[][] = Array.from({ length: BUCKETS }, () => []);
    const theirs = new Sums();
    const own = keyOf(key);
    const versions = new Map(
      Results.map(({ [META]: each }) => [each["@id"], String(each["@change-vector"])]),
    );
    for (const [id, vector] of versions) {
      const hashes = hashesOf(own, id, vector);
      theirs.add(hashes);
      buckets[hashes.bucket]?.push(id, vector);
    }
    const differing = new Map(theirs.differing(new Sums(sums)).map((at) => [at, buckets[at] as string[]]));
    return { isSame: false, isStale, etag: areCurrent && !isStale ? before : null, differing };
  }

  async #ask(route: string, body: string): Promise<string> {
    const { store, name } = this.#options;
    const { status, text } = await ask(store, { method: "POST", route, text: body, safe: true });
    if (status === 200) return text;
    throw new RavenEdgeError("Server", `the set ${name} cannot be compared: status ${status}`, { status });
  }

  /**
   * All documents of the set, in pieces as they arrive. It ends early if the response does: what is missing, the comparison after it finds.
   */
  async *stream(): AsyncGenerator<SeenDocument[]> {
    const store = this.#options.store;
    const { route, text } = store.definitions
      ? { route: "queries", text: JSON.stringify(await this.#query()) }
      : this.#named({});
    let body: StreamedBody | undefined;
    const command = { method: "POST", route: `streams/${route}`, text, safe: true };
    await ask(store, command, (given) => {
      body = given;
      return NOTHING;
    });
    if (!body) return;
    const reader = bodyReader(body.stream, store.runtime.isolated);
    const parser = new IncrementalParser();
    const next = async (): Promise<SeenDocument[] | undefined> => {
      try {
        const piece = await within(store.timeout, reader.read());
        if (!piece?.value) return undefined;
        const items = parser.takeText(piece.value);
        return seenOf(JSON.parse(items) as ServerDocument[], inexact(items, ITEM_DEPTH), []);
      } catch {
        return undefined;
      }
    };
    try {
      for (let found = await next(); found; found = await next()) yield found;
    } finally {
      reader.cancel().catch(() => {});
      body.abort();
    }
  }

  /** What the server says of documents by their ids. */
  async load(ids: string[]): Promise<SeenDocument[]> {
    const { route, body } = this.#options.store.definitions
      ? byIds("", ids)
      : { route: "docs", body: { Ids: ids, User: this.#options.user } };
    const method = body ? "POST" : "GET";
    let text: string;
    try {
      const response = await ask(this.#options.store, { method, route, body, safe: true });
      // A 404 says that the only document does not exist.
      text = response.status === 404 ? '{"Results":[null]}' : response.text;
    } catch (error) {
      // Documents that are large: a gateway has a limit for responses.
      if ((error as RavenEdgeError).status !== 413 || ids.length === 1) throw error;
      const half = ids.length >> 1;
      return [...(await this.load(ids.slice(0, half))), ...(await this.load(ids.slice(half)))];
    }
    const { Results } = bodyOf<ServerDocument>(text);
    // What is not among the results does not exist: they must be about all ids.
    if (Results.length !== ids.length) throw flawed();
    return seenOf(Results, inexact(text, DOCUMENT_DEPTH), ids);
  }
}

/** `ids`: what was asked for. */
const seenOf = (Results: ServerDocument[], numbers: Map<string, string[]>, ids: string[]): SeenDocument[] =>
  seenIn({ ids, paths: [] }, { Results }, numbers, undefined).documents;

const flawed = () => new RavenEdgeError("BadAnswer", "this is no response about a set");

function parsed<Value>(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw flawed();
  }
}

/** A response with results. */
function bodyOf<Result>(text: string): { Results: Result[]; IsStale?: unknown } {
  const body = Object(parsed(text)) as { Results: Result[] };
  if (!Array.isArray(body.Results)) throw flawed();
  return body;
}
