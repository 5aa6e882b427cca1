// An operation that sends one request.

import { AnyThis } from "../common/any-this.js";
import type { CommandRequest, RavenCommand, RavenOperation, SentCommand } from "./operation-types.js";

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
