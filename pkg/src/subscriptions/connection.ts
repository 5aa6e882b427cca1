// Splits a stream of JSON objects, which follow each other without a separator, into their texts. Each byte is read once.

import { fail, RavenEdgeError } from "../common/error.js";
import { timeSpan, within } from "../common/time.js";
import type { ServerDocument } from "../documents/entity-types.js";
import type { ResponseBody } from "../loading/request-documents.js";
import { loadPart } from "../runtime/load-part.js";
import { run } from "../runtime/run-task.js";
import type { StoreBase } from "../store/store.js";
import { Bytes } from "../stream/byte-buffer.js";
import { ask } from "../wire/command-request.js";
import { query } from "../wire/query-string.js";
import type { Socket } from "./sockets.js";
import { connectionLost, errorOf, type Status } from "./subscription-errors.js";
import type { SubscriptionWorkerOptions } from "./subscription-types.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The bit in which `{` differs from `[`, and `}` from `]`. */
const CASE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

export class MessageReader {
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  /** The incomplete object, between two pieces. */
  #rest = new Bytes();

  /** The texts of the objects that this piece completes. White space between them is a heartbeat of the server. */
  take(piece: Uint8Array): string[] {
    const found: string[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number;
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) {
        this.#inText = true;
      } else if ((byte | CASE) === OPEN) {
        if (this.#depth++ === 0) from = at;
      } else if ((byte | CASE) === CLOSE && --this.#depth === 0) {
        this.#rest.add(piece.subarray(from, at + 1));
        found.push(this.#rest.text);
        this.#rest.clear();
        from = at + 1;
      } else if (this.#depth < 0) {
        throw new SyntaxError("an object of the subscription ends that has not begun");
      }
    }
    if (this.#depth > 0) this.#rest.add(piece.subarray(from));
    return found;
  }
}

/** The version of the protocol: that of RavenDB 5.3 and later. */
const VERSION = 53_000;

/** The options of a worker, with their defaults. */
export type Options = Required<Omit<SubscriptionWorkerOptions<object>, "documentType">>;

/** A document as the server sends it; of a revision, `Current` and `Previous`. */
export interface DataMessage {
  Type: "Data";
  Data: ServerDocument & { Current?: ServerDocument | null; Previous?: ServerDocument | null };
  Exception?: string | null;
}

/** What belongs to one batch. */
export interface ReceivedBatch {
  readonly items: DataMessage[];
  /** Included documents by id, one object for each message. */
  readonly includes: Record<string, ServerDocument>[];
  /** The messages about included counters and time series. */
  readonly more: ResponseBody[];
  /** The texts of the messages of `items`, and of `includes`. */
  readonly texts: string[];
  readonly includedTexts: string[];
}

type Message =
  | DataMessage
  | { Type: "Includes"; Includes: Record<string, ServerDocument> }
  | { Type: "EndOfBatch" | "Confirm" }
  | (ResponseBody & { Type: "CounterIncludes" | "TimeSeriesIncludes" })
  | (Status & { Type: "ConnectionStatus" | "Error" });

/** The first message of the server, which is about the protocol. */
interface Negotiated {
  Status: string;
  Version: number;
  Message?: string | null;
}

export interface ConnectionListener {
  accepted(): void;
  batch(batch: ReceivedBatch): void;
  confirmed(): void;
  /** It has ended: called once, and never after `close`. `tag`: the node that serves the subscription, if the server names one. */
  failed(error: Error, tag?: string): void;
}

/** Where a node listens for TCP. */
interface TcpInfo {
  Url: string;
  Certificate: string | null;
  NodeTag?: string | null;
}

const emptyBatch = (): ReceivedBatch => ({ items: [], includes: [], more: [], texts: [], includedTexts: [] });

/** A connection that begins. */
export interface Connection {
  /** The node that it is connected to. */
  tag: string | null;
  /** The batch is done. */
  acknowledge(): void;
  close(): void;
}

/** Connects to the node that should serve the subscription, if there is a `tag`. */
export function connectionOf(
  store: StoreBase,
  options: Options,
  listener: ConnectionListener,
  tag: string | undefined,
): Connection {
  const { subscriptionName: name } = options;
  const { database } = store;
  const reader = new MessageReader();
  let socket: Socket | undefined;
  let batch = emptyBatch();
  let isNegotiated = false;
  let isAccepted = false;
  let isOver = false;
  const connection: Connection = {
    tag: null,
    acknowledge: () => socket?.write('{"Type":"Acknowledge"}'),
    close() {
      isOver = true;
      socket?.close();
    },
  };

  async function open(): Promise<void> {
    const sockets = await loadPart("sockets");
    const { Url, Certificate, NodeTag } = await locate();
    if (isOver) return;
    connection.tag = NodeTag ?? null;
    const { hostname: host, port } = new URL(Url);
    const { timeout } = store;
    const address = {
      host: host.replace(/^\[|\]$/g, ""),
      port: Number(port),
      certificate: Certificate ?? undefined,
    };
    socket =
      (await within(timeout, sockets.open(address, store.options, { received, ended }))) ??
      fail("Unreachable", `no TCP connection to ${Url} within ${timeout} ms`);
    if (isOver) return socket.close();
    const header = {
      DatabaseName: database,
      Operation: "Subscription",
      OperationVersion: VERSION,
      LicensedFeatures: { DataCompression: false },
    };
    socket.write(JSON.stringify(header));
  }

  function received(bytes: Uint8Array): void {
    try {
      for (const text of reader.take(bytes)) {
        if (isOver) return;
        if (isNegotiated) take(JSON.parse(text), text);
        else negotiated(JSON.parse(text));
      }
    } catch (error) {
      ended(error);
    }
  }

  function ended(error?: unknown): void {
    if (isOver) return;
    connection.close();
    listener.failed(error instanceof RavenEdgeError ? error : connectionLost(name, error));
  }

  /** Asks where to connect. */
  async function locate(): Promise<TcpInfo> {
    const parameters = query([
      ["database", database],
      ["remote-task", name],
      ["tag", `Subscription/${database}`],
      ["verify-database", true],
    ]);
    const info = async (node?: number) => {
      const response = await ask(store, { route: `/info/remote-task/tcp?${parameters}`, node });
      if (response.status === 404)
        throw errorOf(name, { Type: "Error", Exception: "DatabaseDoesNotExistException" });
      return JSON.parse(response.text) as TcpInfo;
    };
    const first = await info();
    if (!tag || first.NodeTag === tag) return first;
    const core = await store.core();
    // A store that has sent no request about documents knows only the app's addresses.
    await run(store.runtime, core.topology(), () => false);
    const { text } = await ask(store, { route: `/topology?name=${encodeURIComponent(database)}` });
    const { Nodes } = JSON.parse(text) as { Nodes: unknown[] };
    for (let node = 0; node < Nodes.length + store.urls.length; node++) {
      const found = await info(node).catch(() => undefined);
      if (found?.NodeTag === tag) return found;
    }
    return fail("Unreachable", `the node ${tag}, which serves the subscription, cannot be reached`);
  }

  function negotiated({ Status, Version, Message }: Negotiated): void {
    if (Status === "AuthorizationFailed")
      fail("Server", `the subscription is refused: ${Message}`, {
        type: "Raven.Client.Exceptions.Security.AuthorizationException",
      });
    if (Status !== "Ok" || Version !== VERSION)
      fail(
        "Unsupported",
        `RavenDB ${Status} ${Version}: subscriptions need RavenDB 5.3 or later. ${Message ?? ""}`,
      );
    isNegotiated = true;
    const request = {
      SubscriptionName: name,
      WorkerId: options.workerId,
      TimeToWaitBeforeConnectionRetry: timeSpan(options.timeToWaitBeforeConnectionRetry),
      IgnoreSubscriberErrors: options.ignoreSubscriberErrors,
      Strategy: options.strategy,
      MaxDocsPerBatch: options.maxDocsPerBatch,
      MaxErroneousPeriod: timeSpan(options.maxErroneousPeriod),
      CloseWhenNoDocsLeft: options.closeWhenNoDocsLeft,
    };
    socket?.write(JSON.stringify(request));
  }

  function take(message: Message, text: string): void {
    if (message.Type === "ConnectionStatus" && message.Status === "Accepted" && !isAccepted) {
      isAccepted = true;
      listener.accepted();
    } else if (message.Type === "ConnectionStatus" || message.Type === "Error" || !isAccepted) {
      connection.close();
      const status = message as Status;
      listener.failed(errorOf(name, status), status.Data?.RedirectedTag ?? undefined);
    } else if (message.Type === "Data") {
      batch.items.push(message);
      batch.texts.push(text);
    } else if (message.Type === "Includes") {
      batch.includes.push(message.Includes);
      batch.includedTexts.push(text);
    } else if (message.Type === "EndOfBatch") {
      const whole = batch;
      batch = emptyBatch();
      listener.batch(whole);
    } else if (message.Type === "Confirm") {
      listener.confirmed();
    } else if (message.Type === "CounterIncludes" || message.Type === "TimeSeriesIncludes") {
      batch.more.push(message);
    }
  }

  open().catch(ended);
  return connection;
}
