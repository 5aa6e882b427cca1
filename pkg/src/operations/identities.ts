// Identities: numbers without gaps, `companies/1`, `companies/2`, which the whole cluster counts.

import { AnyThis } from "../common/any-this.js";
import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { randomId } from "../wire/random-id.js";
import type { CommandRequest, CommandResponse, RavenCommand } from "./operation-types.js";
import { CommandOperation, reading } from "./single-request.js";

function assertName(name: unknown): asserts name is string {
  if (!isText(name)) fail("InvalidArgument", "the identity needs a name");
}

/** A command about an identity. */
class IdentityCommand extends AnyThis {
  result: number = null as never;
  declare readonly request: CommandRequest;

  /** @internal */
  constructor(name: string, action: string, more = "") {
    super();
    assertName(name);
    // The id of the command to the cluster: requests with the same id count once.
    const named = `name=${encodeURIComponent(name)}${more}&raft-request-id=${randomId()}`;
    this.request = { method: "POST", route: `identity/${action}?${named}`, safe: true };
  }

  /** @internal */
  settle({ text }: CommandResponse): void {
    const { NewIdentityValue, NewSeedValue } = JSON.parse(text) as Record<string, number>;
    this.result = (NewIdentityValue ?? NewSeedValue) as number;
  }
}

/**
 * The next number of an identity (`POST identity/next`), which the whole cluster counts. If the same command is sent twice, it gets the
 * same number, so that no number is lost.
 *
 * ```ts
 * const command = new NextIdentityForCommand("invoices");
 * await store.execute(command);
 * const id = `invoices/${command.result}`;
 * ```
 */
export class NextIdentityForCommand extends IdentityCommand implements RavenCommand<number> {
  /**
   * @param name With or without the pipe at its end; case does not matter.
   * @throws {RavenEdgeError} `InvalidArgument` for a blank name.
   */
  constructor(name: string) {
    super(name, "next");
  }
}

/** Sets an identity (`POST identity/seed`); the result is its number afterwards. */
export class SeedIdentityForCommand extends IdentityCommand implements RavenCommand<number> {
  /**
   * @param value A whole number; the next number is one above it. A value below the current one changes nothing, unless `forced`.
   * @throws {RavenEdgeError} `InvalidArgument`.
   */
  constructor(name: string, value: number, forced = false) {
    super(name, "seed", `&value=${value}${forced ? "&force=true" : ""}`);
    if (!Number.isSafeInteger(value)) fail("InvalidArgument", "an identity is seeded with a whole number");
  }
}

/** {@link NextIdentityForCommand} as an operation. Each `send` gets another number. */
export class NextIdentityForOperation extends CommandOperation<number> {
  constructor(name: string) {
    assertName(name);
    super(() => new NextIdentityForCommand(name));
  }
}

/** {@link SeedIdentityForCommand} as an operation. */
export class SeedIdentityForOperation extends CommandOperation<number> {
  constructor(name: string, value: number, forceUpdate = false) {
    assertName(name);
    super(() => new SeedIdentityForCommand(name, value, forceUpdate));
  }
}

/** The last numbers of all identities of the database, by their names with the pipe (`GET debug/identities`). */
export class GetIdentitiesOperation extends CommandOperation<Record<string, number>> {
  constructor() {
    super(() => reading({ route: "debug/identities" }, (body: Record<string, number>) => body));
  }
}
