// A command whose result is made from the JSON of the response.

import { AnyThis } from "../common/any-this.js";
import { camel } from "../common/member-case.js";
import type { CommandRequest, RavenCommand, RavenOperation, SentCommand } from "./operation-types.js";

/**
 * Sends `request`. `read` makes the result from the response's JSON; default: names of members begin with a lower-case letter.
 * @internal
 */
export function reading<TResult>(
  request: CommandRequest,
  read: (body: never) => TResult = camel as (body: never) => TResult,
): SentCommand<TResult> {
  return {
    request,
    result: null as TResult,
    settle({ text }) {
      this.result = read(JSON.parse(text) as never);
    },
  };
}

export class SingleRequestOperation<TResult> extends AnyThis implements RavenOperation<TResult> {
  #request: CommandRequest;
  #read: (body: never) => TResult;

  /**
   * `read` makes the result from the response's JSON, or from `""` if the response is empty. Default: no result.
   * @internal
   */
  constructor(request: CommandRequest, read: (body: never) => TResult = () => undefined as TResult) {
    super();
    this.#request = request;
    this.#read = read;
  }

  getCommand(): RavenCommand<TResult> {
    const read = this.#read;
    const command: SentCommand<TResult> = {
      request: this.#request,
      result: null as TResult,
      settle({ text }) {
        this.result = read((text && JSON.parse(text)) as never);
      },
    };
    return command;
  }
}
