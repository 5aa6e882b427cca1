// An operation of one request.

import type { CommandRequest, RavenCommand, RavenOperation, SentCommand } from "./command.js";

export class SingleRequestOperation<TResult> implements RavenOperation<TResult> {
  #request: CommandRequest;
  #read: (body: never) => TResult;

  /**
   * `read` makes the result of the response's JSON, or of `""` where the response is empty. Default: there is no result.
   * @internal
   */
  constructor(request: CommandRequest, read: (body: never) => TResult = () => undefined as TResult) {
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
