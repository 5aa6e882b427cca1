// Sends a batch of the queue, and reads receipts and documents. Says what a response means in the words of the core.

import { OUTCOME_AGAIN, OUTCOME_APPLIED } from "../../../gen/protocol.js";
import { isObject } from "../../common/arguments.js";
import { fail, RavenEdgeError } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import type { JsonObject } from "../../common/json.js";
import type { CommandRequest } from "../../operations/operation-types.js";
import type { StoreBase } from "../../store/store.js";
import type { TracedWork } from "../../tracing/trace-types.js";
import { ask } from "../../wire/command-request.js";
import {
  areWhole,
  type ChangeRecord,
  type CommandTexts,
  type StoredCommand,
  type StoredError,
} from "../device/records.js";
import { failed, unsendable } from "./failures.js";
import { assertReadable, attachmentText, bodyOf } from "./queued-attachments.js";

const COLLECTION = "@raven-edge";

/** Why nothing is sent to a sharded database. */
export const SHARDED =
  "the database is sharded: RavenDB does not save a batch as a whole there, so a queue cannot save each change exactly once; use saveChanges() and an unsharded database for what is queued";

/** A change with its texts. */
export interface Member {
  record: ChangeRecord;
  texts: CommandTexts[];
  /** Whether the device has lost its texts: it cannot be sent, and is not merged. */
  isDamaged?: true;
}

/** What the receipt of a batch says. */
export interface BatchHead {
  /** Its id. */
  receipt: string;
  /** The change vector that it has; empty if it does not exist. */
  vector: string;
  user: string;
  /** Number and random id of the batch. */
  last: number;
  batch: string;
}

export function memberOf(record: ChangeRecord, texts: unknown): Member {
  if (areWhole(texts, record.commands)) return { record, texts };
  const missing: CommandTexts[] = record.commands.map(() => ({ text: null, before: null }));
  return { record, texts: missing, isDamaged: true };
}

/** The outcome of a batch. */
export interface BatchOutcome {
  /** One of `OUTCOME_…`. */
  outcome: number;
  /** Whether no request was sent. */
  isUnsent?: true;
  /** The id of the document that is in conflict. */
  document?: string | undefined;
  /** The change vector of the receipt, if the batch was applied. */
  receipt?: string;
  /** The change vectors of documents that were put, by change and document. */
  vectors?: Map<number, Map<number, string>>;
  error?: StoredError;
}

/** A document of a response, with its metadata. */
export type FoundDocument = JsonObject & { "@metadata": JsonObject };

/** Sends requests for a queue. */
export class QueueRequests {
  readonly #store;
  /** The addresses of nodes, in the order in which the core of the store numbers them. */
  #nodes: string[] = [];
  /** Whether the receipt was last looked for in a sharded database. */
  isSharded = false;

  constructor(store: StoreBase) {
    this.#store = store;
    const reset = () => {
      this.#nodes = [];
      this.#add(store.urls);
    };
    reset();
    store.runtime.onDeath(reset);
    store.on("topologyUpdated", ({ topology }) => this.#add(topology.nodes.map(({ url }) => url)));
  }

  #add(urls: readonly string[]): void {
    for (const url of urls.map((url) => this.#store.nodeAt(url.replace(/\/+$/, ""))))
      if (!this.#nodes.includes(url)) this.#nodes.push(url);
  }

  /** The name of the node that the next batch goes to: where several are known, one that responds. `any`: none is asked. */
  async node(receipt: string, any: boolean): Promise<string> {
    if (this.#nodes.length === 1 || any) return this.#nodes[0] as string;
    const { node = 0 } = await this.#ask(documents([receipt]));
    return this.#nodes[node] ?? (this.#nodes[0] as string);
  }

  async #ask(command: CommandRequest, name?: string, work?: TracedWork): ReturnType<typeof ask> {
    if (name === undefined && this.#nodes.length > 1) return ask(this.#store, command);
    const node = name === undefined ? 0 : this.#nodes.indexOf(this.#store.nodeAt(name));
    // Not safe to repeat: the queue itself tries again, after a pause.
    if (node >= 0) return ask(this.#store, { ...command, safe: false, node }, undefined, work);
    // The first response of any node makes the store ask for the others.
    await ask(this.#store, documents([]));
    throw new RavenEdgeError("Unreachable", `the node ${name} is not known yet`);
  }

  /**
   * The receipt on a node, if it exists.
   * @throws {RavenEdgeError} `Unsupported` if the database is sharded.
   */
  async receipt(id: string, node?: string): Promise<FoundDocument | undefined> {
    const results = await this.#results([id], node);
    // A sharded database reports several missing documents once.
    this.isSharded = results.length < 3;
    if (this.isSharded) fail("Unsupported", SHARDED);
    return results.filter(isDocument).find((document) => idOf(document) === idKey(id));
  }

  /** Sends a batch to a node. */
  async send(head: BatchHead, node: string, members: Member[]): Promise<BatchOutcome> {
    let text: Awaited<ReturnType<typeof bodyOf>>;
    try {
      text = await bodyOf(batchText(head, members), members);
    } catch (error) {
      return this.#unwritten(error, head.receipt, node);
    }
    let response: string;
    try {
      const send = (work?: TracedWork) => {
        work?.sized(1 + members.flatMap(({ texts }) => texts).length);
        return this.#ask({ method: "POST", route: "bulk_docs", text, safe: false }, node, work);
      };
      ({ text: response } = await this.#store.traced("queue", send));
    } catch (error) {
      const outcome = failed(error, head.receipt, members);
      const isAgain = outcome.outcome === OUTCOME_AGAIN;
      return (isAgain && (await assertReadable(members).catch(unsendable))) || outcome;
    }
    return applied(response, head.receipt, members) ?? { outcome: OUTCOME_AGAIN };
  }

  /** The outcome of a batch whose body could not be made. */
  async #unwritten(error: unknown, receipt: string, node: string): Promise<BatchOutcome> {
    try {
      // Without a connection no part of the package can be loaded either, and the batch waits.
      if ((error as Partial<RavenEdgeError>).code === "LoadFailed") await this.receipt(receipt, node);
    } catch {
      return { outcome: OUTCOME_AGAIN };
    }
    return unsendable(error);
  }

  /** Reads documents; those that do not exist are absent. */
  async read(ids: string[], node?: string): Promise<Map<string, FoundDocument>> {
    const results = await this.#results(ids, node);
    if (results.length < ids.length) throw strange();
    return new Map(results.filter(isDocument).map((document) => [idOf(document), document]));
  }

  async #results(ids: string[], node?: string): Promise<unknown[]> {
    const { text } = await this.#ask(documents(ids), node);
    let found: unknown;
    try {
      ({ Results: found } = JSON.parse(text) as { Results?: unknown });
    } catch (cause) {
      throw strange(cause);
    }
    const isKnown = (one: unknown) => one === null || isDocument(one);
    if (!Array.isArray(found) || !found.every(isKnown)) throw strange();
    return found;
  }
}

/** Ids of receipts that no device has. */
const NOBODYS = ["0", "1"].map((digit) => `Raven-Edge/Devices/${digit.repeat(32)}`);

/**
 * The request for documents. RavenDB responds with 404 to a single id that does not exist, which browsers report as an error in their
 * consoles: two more ids, which nothing has, prevent that.
 */
const documents = (ids: string[]): CommandRequest => ({
  method: "POST",
  route: "docs",
  body: { Ids: ids.length > 1 ? ids : [...ids, ...NOBODYS] },
  safe: true,
});

const idOf = (document: FoundDocument): string => idKey(document["@metadata"]["@id"] as string);

function isDocument(value: unknown): value is FoundDocument {
  const metadata = isObject(value) && value["@metadata"];
  return (
    isObject(metadata) &&
    typeof metadata["@id"] === "string" &&
    typeof metadata["@change-vector"] === "string"
  );
}

const strange = (cause?: unknown) =>
  new RavenEdgeError(
    "BadAnswer",
    "the response is not one of RavenDB: it is from a proxy, or is the page of a captive portal",
    { cause },
  );

/** The text of a batch: always the same for the same batch, because nothing of it changes while it is in flight. */
function batchText({ receipt: id, vector, user, last, batch }: BatchHead, members: Member[]): string {
  const receipt = {
    Type: "PUT",
    Id: id,
    ChangeVector: vector,
    Document: { Last: last, Batch: batch, User: user, "@metadata": { "@collection": COLLECTION } },
  };
  const commands = members.flatMap(({ record, texts, isDamaged }) => {
    if (isDamaged) fail("Storage", "what it writes cannot be read on this device any more");
    const seen = new Set<number>();
    return record.commands.map((command, at) => {
      // A later command about the same document is about what the first has made of it.
      const isFirst = seen.size < seen.add(command.document).size;
      return commandText(command, isFirst, texts[at] as CommandTexts);
    });
  });
  return `{"Commands":[${[JSON.stringify(receipt), ...commands].join(",")}]}`;
}

function commandText(
  { kind, id, expects, vector }: StoredCommand,
  isFirst: boolean,
  { text }: CommandTexts,
): string {
  const expected = !isFirst || expects === "any" ? null : expects === "absent" ? "" : vector;
  if (kind === "ATTACH") return attachmentText(text as string, id);
  if (kind === "COUNT") return countersText(text as string, id);
  if (kind === "PATCH") {
    const command = JSON.parse(text as string) as JsonObject;
    return JSON.stringify({ ...command, Id: id, ChangeVector: expected });
  }
  const head = `{"Type":"${kind}","Id":${JSON.stringify(id)},"ChangeVector":${JSON.stringify(expected)}`;
  return kind === "PUT" ? `${head},"Document":${text}}` : `${head}}`;
}

/** The text of a command about counters. The document may have got another id since. */
function countersText(text: string, id: string): string {
  const command = JSON.parse(text) as { Counters: JsonObject };
  return JSON.stringify({ ...command, Id: id, Counters: { ...command.Counters, DocumentId: id } });
}

/** The outcome that a response reports; `undefined` if it does not fit the batch. */
function applied(text: string, receipt: string, members: Member[]): BatchOutcome | undefined {
  let results: unknown;
  try {
    ({ Results: results } = JSON.parse(text) as { Results?: unknown });
  } catch {
    return undefined;
  }
  const commands = members.flatMap(({ record }) => record.commands.map((command) => ({ record, command })));
  if (!Array.isArray(results) || results.length !== commands.length + 1) return undefined;
  const [first, ...rest] = results as (JsonObject | null)[];
  const vector = first?.["@change-vector"];
  if (!isAbout(first, "PUT", idKey(receipt)) || typeof vector !== "string") return undefined;
  const vectors = new Map<number, Map<number, string>>();
  for (const [at, { record, command }] of commands.entries()) {
    const result = rest[at];
    if (!isAbout(result, command.kind, command.key)) return undefined;
    const own = vectors.get(record.number) ?? new Map<number, string>();
    vectors.set(record.number, own);
    // Attachments and counters change the vector of their document.
    const given = result?.DocumentChangeVector ?? result?.["@change-vector"];
    if (typeof given === "string") own.set(command.document, given);
  }
  return { outcome: OUTCOME_APPLIED, receipt: vector, vectors };
}

function isAbout(result: JsonObject | null | undefined, type: string, key: string): boolean {
  const id = result?.["@id"] ?? result?.Id;
  const reported = String(result?.Type)
    .replace(/^Attachment.*/, "ATTACH")
    .replace(/^Counters$/, "COUNT");
  return reported === type && typeof id === "string" && idKey(id) === key;
}
