// An app's Worker: each request is one action of a session. Its store leases from a hub, or from what stands at `UPSTREAM`.
import { DocumentStore } from "raven-edge";
import { kill } from "../../support/kill.mjs";
import { actions, follow } from "./actions.js";

let client;
let count = 0;
let name;

function open({ UPSTREAM, WHO }) {
  // Random values exist only during requests.
  name ??= `${WHO}x${Math.random().toString(36).slice(2, 8)}`;
  const store = new DocumentStore(UPSTREAM, "drill", { timeout: 4_000 });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  client = { store, seen: follow(store) };
}

export default {
  async fetch(request, env) {
    if (!client) open(env);
    const { pathname, searchParams } = new URL(request.url);
    const action = pathname.slice(1);
    if (action === "trap") {
      kill();
      return new Response();
    }
    const below = (limit) => Math.floor(Math.random() * limit);
    const note = async (report) => {
      const sent = await fetch(env.NOTES, {
        method: "POST",
        body: JSON.stringify({ ...report, who: env.WHO }),
      });
      await sent.text();
    };
    const mark = (letter) => `${letter}~${name}~${++count}~`;
    const tools = actions({ note, mark, below, shared: () => searchParams.get("shared") });
    try {
      await tools[action](client);
      return new Response();
    } catch (error) {
      return new Response(`${error.code}: ${error.message}`, { status: 500 });
    }
  },
};
