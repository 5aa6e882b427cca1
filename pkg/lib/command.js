// A request that is neither a load nor a save: the core finds the node, the answer comes back as text.

import { run } from "./run.js";

const decoder = new TextDecoder();

/** Where the core puts an answer. */
class Answer {
  status = 0;
  text = "";

  keep(status, body) {
    this.status = status;
    this.text = decoder.decode(body);
  }
}

/**
 * Sends `{ method, route, body, ifMatch, safe }`: a route of the database with its query, a body that becomes JSON;
 * `safe` requests may be sent again when an answer is lost. Gives `{ status, text }`.
 */
export async function ask(store, runtime, { method = "GET", route, body, ifMatch, safe = method === "GET" }) {
  const answer = new Answer();
  const core = await store.core();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const task = runtime.bound(() => core.command(method, route, text, ifMatch, safe, answer))();
  await run(runtime, task);
  return answer;
}
