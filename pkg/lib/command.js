// A request that is neither a load nor a save: the core finds the node, the answer comes back as text.

import { decoder } from "../hot/text.js";
import { run } from "./run.js";

const NOTHING = new Uint8Array();

/** Where the core says how a command was answered. */
class Answer {
  status = 0;
  text = "";
  /** The core's number of the node that gave it. */
  node;

  keep(status, node) {
    this.status = status;
    this.node = node;
  }
}

/**
 * Sends `{ method, route, body, text, ifMatch, safe, node }`: a route of the database with its query, a body that becomes
 * JSON, or its text; `safe` requests may be sent to each node; `node` is the only one that may be asked.
 * Gives `{ status, text, node }`. `take` gets the body of a stream in place of its text.
 */
export async function ask(store, command, take) {
  const { runtime } = store;
  const { method = "GET", route, body, ifMatch, safe = method === "GET", node } = command;
  const answer = new Answer();
  const core = await store.core();
  const text = body === undefined ? command.text : JSON.stringify(body);
  const task = runtime.bound(() => core.command(method, route, text, ifMatch, safe, node, answer))();
  try {
    await run(runtime, task, undefined, (body, status) => {
      if (status === 200 && take) return take(body);
      // The text of a refusal is for the core, which makes an error of it.
      if (status >= 400 && status !== 404) return body;
      answer.text = decoder.decode(body);
      // A 404 may be a refusal, too.
      return status === 404 ? body : NOTHING;
    });
  } catch (error) {
    // A HEAD has no text that gives the reason; the same as a GET has.
    if (method === "HEAD" && error.status) await ask(store, { ...command, method: "GET" });
    throw error;
  }
  return answer;
}
