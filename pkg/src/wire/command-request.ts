// A request that is neither a load nor a save: the core finds the node, the response comes back as text.

import { REPEAT_EACH_NODE, REPEAT_NEVER } from "../../gen/protocol.js";
import { parsed } from "../common/json.js";
import { decoder } from "../common/text-codec.js";
import type { CoreStore } from "../core/core-store.js";
import type { CoreRequest, CoreResponse } from "../core/exchange.js";
import { refuseInvalidDates } from "../documents/mapping/date-format.js";
import type { CommandRequest, CommandResponse } from "../operations/operation-types.js";
import { run } from "../runtime/run-task.js";
import type { Runtime } from "../runtime/runtime.js";
import type { TracedWork } from "../tracing/trace-types.js";
import type { StreamedBody } from "./http-request.js";

const NOTHING = new Uint8Array();

export interface CommandSender {
  readonly runtime: Runtime;
  core(): Promise<CoreStore>;
}

/**
 * Sends a command. `take` gets the body of a stream and returns the bytes that the core gets instead; the response then has no text.
 * `work`: what the request is traced as a part of.
 */
export async function ask(
  store: CommandSender,
  command: CommandRequest,
  take?: (body: StreamedBody) => Uint8Array,
  work?: TracedWork,
): Promise<CommandResponse> {
  const { runtime } = store;
  const { method = "GET", route, body, ifMatch, safe = method === "GET", node } = command;
  const response: CommandResponse = { status: 0, text: "", node: undefined };
  const core = await store.core();
  const text = body === undefined ? command.text : JSON.stringify(body, refuseInvalidDates);
  const request: CoreRequest = {
    method,
    path: core.route(route),
    body: text as CoreRequest["body"],
    ifMatch,
    repeat: safe ? REPEAT_EACH_NODE : REPEAT_NEVER,
    node: node ?? -1,
  };
  const task = runtime.bound(() => core.request(request, isResult))();
  task.onResponse = (status, node) => Object.assign(response, { status, node });
  try {
    const read = (body: Uint8Array, status: number) => {
      // For a stream, `body` is the stream: `http-request.ts` passes it in place of the bytes.
      if (status === 200 && take) return take(body as Uint8Array & StreamedBody);
      // The core needs the text of a refusal for its error.
      if (status >= 400 && status !== 404) return body;
      response.text = decoder.decode(body);
      // A 404 is a response for the caller, or an error that the core reports: both get the text.
      return status === 404 ? body : NOTHING;
    };
    await run(runtime, task, undefined, read, work);
  } catch (error) {
    // The response to a HEAD contains no reason; the response to the same GET does.
    if (method === "HEAD" && (error as { status?: number }).status)
      await ask(store, { ...command, method: "GET" }, undefined, work);
    throw error;
  }
  return response;
}

/** Whether a response is a result, which includes 404 (not found) and 304 (not modified). */
function isResult({ status, text }: CoreResponse): boolean {
  // A 404 with a type means that the database or the index does not exist.
  return status < 400 || (status === 404 && parsed(text).Type === undefined);
}
