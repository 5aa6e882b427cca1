// Commands and operations of the app.

import { ask } from "../command.js";
import { fail } from "../error.js";
import { strange } from "../load.js";

/** Sends a command, which keeps its result; `given`: what the app knows of it. */
export async function execute(store, command, given = command) {
  store.assertInitialized();
  const request =
    command?.request ??
    fail(
      "InvalidArgument",
      `${given?.constructor.name ?? given} is none of raven-edge's commands and operations: docs/moving.md#absent`,
    );
  const answer = await ask(store, request);
  try {
    command.settle(answer);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    strange(store, request.method ?? "GET", request.route, cause);
  }
}

/** Sends the command of an operation; gives what the operation makes of its result. */
export async function operate(store, operation, type) {
  const command = await operation?.getCommand?.(store.conventions);
  await execute(store, command, operation);
  return operation.conclude ? operation.conclude(store, command.result, type) : command.result;
}
