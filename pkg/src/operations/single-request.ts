// Operations of one command, and commands whose result is made from the JSON of the response.

import { AnyThis } from "../common/any-this.js";
import { camel } from "../common/member-case.js";
import type { DocumentConventions } from "../store/conventions.js";
import type { CommandRequest, RavenCommand, SentCommand } from "./operation-types.js";

/** The body of a response; names of members begin with a lower-case letter. */
export const members = (body: unknown): never => camel(body) as never;

/** The body of a response that may be empty. */
const bodyOrEmpty = (text: string): unknown => text && JSON.parse(text);

/**
 * Sends `request`. `read` makes the result from the response's JSON. `parse`: default: an empty response is an error.
 * @internal
 */
export function reading<TResult>(
  request: CommandRequest,
  read: (body: never) => TResult = members,
  parse: (text: string) => unknown = JSON.parse,
): SentCommand<TResult> {
  return {
    request,
    result: null as TResult,
    settle({ text }) {
      this.result = read(parse(text) as never);
    },
  };
}

/** Sends one command. `Given`: the conventions, if the command needs them. `Command`: a promise, if it has to wait. */
export class CommandOperation<
  TResult,
  Given extends [conventions?: DocumentConventions] = [],
  Command = RavenCommand<TResult>,
> extends AnyThis {
  #command;

  /**
   * `command` makes the command whenever the operation is sent.
   * @internal
   */
  constructor(command: (...given: Given) => Command) {
    super();
    this.#command = command;
  }

  getCommand(...given: Given): Command {
    return this.#command(...given);
  }
}

export class SingleRequestOperation<TResult> extends CommandOperation<TResult> {
  /**
   * `read` makes the result from the response's JSON, or from `""` if the response is empty. Default: no result.
   * @internal
   */
  constructor(
    request: CommandRequest | (() => CommandRequest),
    read: (body: never) => TResult = () => undefined as TResult,
  ) {
    super(() => reading(typeof request === "function" ? request() : request, read, bodyOrEmpty));
  }
}
