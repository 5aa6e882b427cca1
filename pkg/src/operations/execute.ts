// Sends commands and operations of the app.

import { fail } from "../common/error.js";
import { strange } from "../loading/fetch-documents.js";
import { ask, type CommandSender } from "../wire/command-request.js";
import type { SentCommand } from "./command.js";

/** The store, as commands need it. */
interface Store extends CommandSender {
  readonly conventions: object;
  assertInitialized(): void;
  /** Where the server has a route of the database. */
  path(route: string): string;
}

/** An operation as the app passes it. */
interface SentOperation {
  getCommand?(conventions: object): unknown;
  /** Makes the result of what its command results in. */
  conclude?(store: Store, result: unknown, type: unknown): unknown;
}

/** Sends a command, which keeps its result. `given`: what the app has passed, for the message of an error. */
export async function execute(
  store: Store,
  command: Partial<SentCommand<unknown>> | null | undefined,
  given: unknown = command,
): Promise<void> {
  store.assertInitialized();
  const request =
    command?.request ??
    fail(
      "InvalidArgument",
      `${(given as object | null | undefined)?.constructor.name ?? given} is none of raven-edge's commands and operations: docs/moving.md#absent`,
    );
  const answer = await ask(store, request);
  try {
    command?.settle?.(answer);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    strange(store, request.method ?? "GET", request.route, cause);
  }
}

/** Sends the command of an operation; resolves with what the operation makes of its result. */
export async function operate(store: Store, operation: SentOperation, type: unknown): Promise<unknown> {
  const command = (await operation?.getCommand?.(store.conventions)) as SentCommand<unknown> | undefined;
  await execute(store, command, operation);
  return operation.conclude ? operation.conclude(store, command?.result, type) : command?.result;
}
