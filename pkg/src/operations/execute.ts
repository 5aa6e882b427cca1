// Sends commands and operations.

import type { Upload } from "../attachments/upload.js";
import { fail } from "../common/error.js";
import { isEngineError } from "../common/value-kinds.js";
import { strange } from "../loading/request-documents.js";
import { ask, type CommandSender } from "../wire/command-request.js";
import type { SentCommand } from "./operation-types.js";

/** The members of a store that commands need. */
interface Store extends CommandSender {
  readonly conventions: object;
  assertInitialized(): void;
  /** The path of a route of the database. */
  path(route: string): string;
}

/** An operation of the app. */
interface SentOperation {
  getCommand?(conventions: object): unknown;
  /** Makes the result of the operation from the result of its command. */
  conclude?(store: Store, result: unknown, type: unknown): unknown;
}

/** Sends a command and lets it store its result in itself. `given`: the value that the app passed, for the message of an error. */
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
      `${(given as object | null | undefined)?.constructor.name ?? given} is not a command or operation of raven-edge: docs/moving.md#absent`,
    );
  const response = await ask(store, request).catch((error: unknown) => {
    // A stream of the app has failed: the request has no end, so nothing of it was carried out.
    throw (request.text as Partial<Upload> | undefined)?.failure ?? error;
  });
  try {
    command?.settle?.(response);
  } catch (cause) {
    if (!isEngineError(cause, "SyntaxError")) throw cause;
    strange(store, request.method ?? "GET", request.route, cause);
  }
}

/** Sends the command of an operation; resolves with the result of the operation. */
export async function operate(store: Store, operation: SentOperation, type: unknown): Promise<unknown> {
  const command = (await operation?.getCommand?.(store.conventions)) as SentCommand<unknown> | undefined;
  await execute(store, command, operation);
  return operation.conclude ? operation.conclude(store, command?.result, type) : command?.result;
}
