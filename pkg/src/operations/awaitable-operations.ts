// Operations of the app's own that continue on the server after the response.

import { fail } from "../common/error.js";
import { OperationCompletionAwaiter, type OperationSender } from "./operation-completion.js";
import type { AwaitableOperation, OperationIdResult, RavenCommand } from "./operation-types.js";

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
