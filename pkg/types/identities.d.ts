// Numbers of the cluster.

import type { RavenCommand } from "./commands.js";
import type { DocumentConventions } from "./conventions.js";
import type { RavenOperation } from "./operations.js";

/**
 * The next number of an identity (`POST identity/next`), which the whole cluster counts. A command that is sent twice
 * gives the same number: nothing is burnt.
 *
 * ```ts
 * const command = new NextIdentityForCommand("invoices");
 * await store.execute(command);
 * const id = `invoices/${command.result}`;
 * ```
 */
export class NextIdentityForCommand implements RavenCommand<number> {
  /**
   * @param name With or without the pipe at its end; without case.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank name.
   */
  constructor(name: string);
  readonly request: object;
  readonly result: number;
}

/** Sets an identity (`POST identity/seed`); results in the number that it has then. */
export class SeedIdentityForCommand implements RavenCommand<number> {
  /**
   * @param value A whole number; the next one is one above. A lower one than there is changes nothing, unless forced.
   * @throws {RavenEdgeError} `InvalidArgument`.
   */
  constructor(name: string, value: number, forced?: boolean);
  readonly request: object;
  readonly result: number;
}

/** {@link NextIdentityForCommand} as an operation; each sending is a number of its own. */
export class NextIdentityForOperation implements RavenOperation<number> {
  constructor(name: string);
  getCommand(conventions?: DocumentConventions): RavenCommand<number>;
}

/** {@link SeedIdentityForCommand} as an operation. */
export class SeedIdentityForOperation implements RavenOperation<number> {
  constructor(name: string, value: number, forceUpdate?: boolean);
  getCommand(conventions?: DocumentConventions): RavenCommand<number>;
}

/** All identities of the database with their last numbers, by name with the pipe (`GET debug/identities`). */
export class GetIdentitiesOperation implements RavenOperation<Record<string, number>> {
  constructor();
  getCommand(conventions?: DocumentConventions): RavenCommand<Record<string, number>>;
}
