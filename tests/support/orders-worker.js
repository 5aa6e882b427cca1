// A Worker that saves an order per request, with one store for all requests.
import { waitUntil } from "cloudflare:workers";
import { DocumentStore } from "raven-edge";
import { kill } from "./kill.mjs";

let store;
let requests = 0;
export default {
  async fetch(request, env, context) {
    requests++;
    const options = env.KEEP ? { waitUntil } : {};
    store ??= new DocumentStore(env.RAVENDB_URL, env.DATABASE, options).initialize();
    const { pathname } = new URL(request.url);
    if (pathname === "/release") store.release({ waitUntil: (promise) => context.waitUntil(promise) });
    if (pathname === "/early") store.hilo("orders").next();
    if (pathname === "/held") return Response.json(store.hilo("orders").status().atHand);
    if (pathname === "/dispose") await store.dispose();
    if (pathname === "/trap") kill();
    if (pathname !== "/") return Response.json({});
    const session = store.openSession();
    const order = { total: requests, "@metadata": { "@collection": "Orders" } };
    try {
      await session.store(order);
      await session.saveChanges();
      return Response.json({ id: order.id });
    } catch (error) {
      return Response.json({ error: error.code ?? String(error), message: error.message }, { status: 500 });
    }
  },
};
