// A request that is neither a load nor a save: the core finds the node, the response comes back as text.

import { decoder } from "../common/text-codec.js";
import type { CommandRequest, CommandResponse } from "../operations/command.js";
import type { CoreStore } from "../runtime/core.js";
import { run } from "../runtime/run-task.js";
import type { Runtime } from "../runtime/runtime.js";
import type { StreamedBody } from "./http-request.js";

const NOTHING = new Uint8Array();

/** What sends commands: a store. */
export interface CommandSender {
  readonly runtime: Runtime;
  core(): Promise<CoreStore>;
}

/** Where the core says how a command was answered. */
class StoredResponse implements CommandResponse {
  status = 0;
  text = "";
  node: number | undefined;

  /** Called by the core. */
  keep(status: number, node: number | undefined): void {
    this.status = status;
    this.node = node;
  }
}

/**
 * Sends a command. `take` gets the body of a stream, which has no text then, and gives what the core gets in its place.
 */
export async function ask(
  store: CommandSender,
  command: CommandRequest,
  take?: (body: StreamedBody) => Uint8Array,
): Promise<CommandResponse> {
  const { runtime } = store;
  const { method = "GET", route, body, ifMatch, safe = method === "GET", node } = command;
  const answer = new StoredResponse();
  const core = await store.core();
  const text = body === undefined ? command.text : JSON.stringify(body);
  const task = runtime.bound(() => core.command(method, route, text, ifMatch, safe, node, answer))();
  try {
    await run(runtime, task, undefined, (body, status) => {
      // See `replyOf`.
      if (status === 200 && take) return take(body as Uint8Array & StreamedBody);
      // The core makes an error of the text of a refusal.
      if (status >= 400 && status !== 404) return body;
      answer.text = decoder.decode(body);
      // A 404 may be a refusal, too.
      return status === 404 ? body : NOTHING;
    });
  } catch (error) {
    // The response to a HEAD has no text that gives the reason; that of the same GET has.
    if (method === "HEAD" && (error as { status?: number }).status)
      await ask(store, { ...command, method: "GET" });
    throw error;
  }
  return answer;
}
