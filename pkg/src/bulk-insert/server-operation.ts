// A bulk insert on the server: each request is an operation, whose state the server keeps when the connection is lost.

import { fail, type RavenEdgeError } from "../common/error.js";
import { camel } from "../common/member-case.js";
import type { OperationState } from "../operations/operation-completion.js";
import { ask, type CommandSender } from "../wire/command-request.js";
import type { Transport } from "../wire/transport.js";
import type { BulkInsertProgress } from "./bulk-insert-types.js";

/** How many commands are stored at least, and the document of the last one. */
export interface Stored {
  count: number;
  lastId: string | undefined;
}

/** What is certain of a request that has failed, and why it failed. */
export interface Verdict extends Stored {
  /** The server's exception. */
  type?: string | undefined;
  reason: string;
  error: Partial<RavenEdgeError>;
}

/** What the server says of a bulk insert that has failed. */
interface Fault {
  type?: string;
  message?: string;
  error?: string;
}

type State = OperationState & { progress: BulkInsertProgress | null; result: Fault | null };

/** What is certain if the server cannot be asked. */
export function unknown(error: Partial<RavenEdgeError>, progress?: BulkInsertProgress | null): Verdict {
  const { type, message } = error;
  return {
    count: progress?.total ?? 0,
    lastId: progress?.lastProcessedId,
    type,
    reason: message ?? String(error),
    error,
  };
}

export class ServerOperation {
  #store;
  #node;
  #id;

  private constructor(store: CommandSender, id: number, node: number | undefined) {
    this.#store = store;
    this.#id = id;
    this.#node = node;
  }

  /** The next operation of a node, which gets all its requests. */
  static async next(store: CommandSender): Promise<ServerOperation> {
    try {
      const { text, node } = await ask(store, { route: "operations/next-operation-id" });
      const { Id } = JSON.parse(text) as { Id: number };
      return new ServerOperation(store, Id, node);
    } catch (error) {
      const { type, status } = error as RavenEdgeError;
      if (type !== "RavenEdge.Gateway.RouteRefused") throw error;
      const message =
        "a gateway lets no bulk insert pass: use saveChanges(), or a store that reaches RavenDB itself";
      fail("Unsupported", message, { type, status, cause: error });
    }
  }

  /**
   * Sends the commands. Resolves with `undefined` when the server has stored them all, else with what is certain. `limit`: milliseconds
   * that the server gets to notice that a connection is lost.
   */
  async send(body: Transport, skipUnchanged: boolean, limit: number): Promise<Verdict | undefined> {
    const route = `bulk_insert?id=${this.#id}&skipOverwriteIfUnchanged=${skipUnchanged}`;
    try {
      // Only to this node, and never again: the body can be read once.
      await ask(this.#store, { method: "POST", route, text: body, safe: false, node: this.#node });
      return undefined;
    } catch (error) {
      return this.#verdict(error as RavenEdgeError, limit);
    }
  }

  /** `undefined`: the server does not know the operation, because it has not begun, or the server was restarted. */
  async state(): Promise<State | undefined> {
    const { text } = await ask(this.#store, {
      route: `operations/state?id=${this.#id}`,
      node: this.#node,
    });
    return text ? (camel(JSON.parse(text)) as State) : undefined;
  }

  async kill(): Promise<void> {
    await ask(this.#store, { method: "POST", route: `operations/kill?id=${this.#id}`, node: this.#node });
  }

  /** `undefined`: everything is stored, and only the response was lost. */
  async #verdict(error: RavenEdgeError, limit: number): Promise<Verdict | undefined> {
    const end = performance.now() + limit;
    let progress: BulkInsertProgress | null | undefined;
    for (let pause = 25; ; pause = Math.min(pause * 2, 500)) {
      // If the server cannot be reached either, nothing more is known than before.
      const state = await this.state().catch(() => undefined);
      if (state?.status === "Completed") return undefined;
      if (state?.result) return verdictOf(state.result, error);
      progress = state?.progress ?? progress;
      if (!state || performance.now() + pause > end) return unknown(error, progress);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/**
 * The server writes `Inserted 5 items in 2 batches. Last document ID: 'orders/5-A'`, then the exception that ended the insert. The items
 * are those of committed transactions, in the order of the request.
 */
function verdictOf({ type, message = "", error: trace = "" }: Fault, error: RavenEdgeError): Verdict {
  const [, items = "0"] = /Inserted ([\d.,\s]+) items/.exec(message) ?? [];
  const [, lastId] = /Last document ID: '(.*)'/s.exec(message) ?? [];
  const [, inner = type, reason = message] = /\n ?---> ([\w.`+]+): ([^\n\r]*)/.exec(trace) ?? [];
  return { count: Number(items.replace(/\D/g, "")), lastId, type: inner, reason, error };
}
