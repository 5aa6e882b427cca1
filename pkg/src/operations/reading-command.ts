// A command whose result is made of the JSON of the response.

import { camel } from "../common/member-case.js";
import type { CommandRequest, SentCommand } from "./command.js";

/**
 * Sends `request`. `read` makes the result of the response's JSON; by default its members get the case of JavaScript.
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
