// Operations of the app's own that continue on the server after the response.

import { AnyThis } from "../common/any-this.js";
import { fail } from "../common/error.js";
import { camel } from "../common/member-case.js";
import type { AwaitableOperation, OperationIdResult, RavenCommand } from "./operation-types.js";
import { SingleRequestOperation } from "./single-request.js";

/**
 * An operation whose command results in the number of what the server has started: `send` gives the object that waits for its end. Extend
 * it: {@link getCommand} makes the command (`docs/moving.md#requests-of-your-own`).
 */
export class AwaitableMaintenanceOperation implements AwaitableOperation {
  get resultType(): "OperationId" {
    return "OperationId";
  }

  getCommand(..._given: unknown[]): RavenCommand<OperationIdResult> {
    return fail("InvalidOperation", "getCommand() is to be implemented by the class of the app");
  }

  /** @internal */
  conclude(
    store: OperationSender,
    { operationId, operationNodeTag }: OperationIdResult,
  ): OperationCompletionAwaiter {
    return new OperationCompletionAwaiter(store, operationId, operationNodeTag, undefined);
  }
}

/** Milliseconds between two requests for the state of an operation: the pause doubles from the first value to the last. */
const FIRST_PAUSE = 25;
const LAST_PAUSE = 500;

/** The state of an operation. */
export interface OperationState {
  status: "InProgress" | "Completed" | "Faulted" | "Canceled";
  /** `{ processed, total }` of a patch or deletion, while it runs. */
  progress: object | null;
  /** `{ total, query, … }` of a patch or deletion, after its end. */
  result: object | null;
}

/** Reads the state of an operation (`GET operations/state`); `null` if the server does not know the operation. */
export class GetOperationStateOperation extends SingleRequestOperation<OperationState | null> {
  constructor(id: number);
  /**
   * `node`: the core's number of the node that runs it.
   * @internal
   */
  constructor(id: number, node: unknown);
  constructor(id: number, node?: unknown) {
    const route = `operations/state?id=${encodeURIComponent(id)}`;
    const read = (body: object | "") => (body ? (camel(body) as OperationState) : null);
    super({ route, node: typeof node === "number" ? node : undefined }, read);
  }
}

/**
 * The members of a store that operations need.
 * @internal
 */
export interface OperationSender {
  readonly operations: { send(operation: GetOperationStateOperation): Promise<OperationState | null> };
  execute(command: object): Promise<void>;
}

/** The result of an operation that has failed. */
interface Fault {
  type?: string;
  message?: string;
  statusCode?: number;
}

/** An operation that the server runs. */
export class OperationCompletionAwaiter extends AnyThis {
  #store: OperationSender;
  /** The core's number of the node that runs it. */
  #node: number | undefined;
  /** Its number on that node. */
  declare readonly id: number;
  /** The tag of that node. */
  declare readonly nodeTag: string;

  /** @internal */
  constructor(store: OperationSender, id: number, nodeTag: string, node: number | undefined) {
    super();
    this.#store = store;
    this.#node = node;
    this.id = id;
    this.nodeTag = nodeTag;
  }

  /**
   * Waits for its end: reads its state from the node that runs it (`GET operations/state`), after short pauses first, then twice a
   * second.
   * @throws {RavenEdgeError} `Server` with the type of the server's exception, such as `JavaScriptException`; `Canceled`
   * (`OperationCanceledException`) if it was ended by `kill()` or in the studio; errors of requests.
   */
  async waitForCompletion(): Promise<void> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LAST_PAUSE)) {
      const state = await this.#store.operations.send(new GetOperationStateOperation(this.id, this.#node));
      const { status, result } = state ?? fail("Server", `the server does not know the operation ${this.id}`);
      if (status === "Completed") return;
      if (status === "Canceled") fail("Canceled", `the operation ${this.id} was canceled`);
      if (status === "Faulted") {
        const { type, message = "the operation failed", statusCode } = (result ?? {}) as Fault;
        fail(statusCode === 409 ? "Concurrency" : "Server", message, { type, status: statusCode });
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Ends it (`POST operations/kill`). Changes that it has made remain. */
  async kill(): Promise<void> {
    const request = { method: "POST", route: `operations/kill?id=${this.id}`, node: this.#node };
    await this.#store.execute({ request, settle() {} });
  }
}
