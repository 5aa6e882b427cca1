// A command whose result is made from the JSON of the response.

import { camel } from "../common/member-case.js";
import type { CommandRequest, SentCommand } from "./operation-types.js";

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
