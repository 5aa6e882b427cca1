// Watchers of a list while connections of RavenDB, the gateway and the hub break 200 times: in the end everyone shows the newest.
import assert from "node:assert/strict";
import WebSocket from "ws";
import { changesHub } from "../support/changes-hub.mjs";
import { gateway } from "../support/gateway.mjs";
import { isChanges, proxy } from "../support/proxy.mjs";
import { random } from "../support/random.mjs";
import { onRavenDb, putDocument } from "../support/server.mjs";
import { open, until, within } from "../support/store.mjs";

const DISCONNECTS = 200;
const SEED = Number(process.env.RAVEN_EDGE_SEED ?? 1 + Math.floor(Math.random() * 1e9));
/** Number of watchers of each of the three: RavenDB itself, a gateway, a gateway with a hub. */
const EACH = 6;
/** After the last reconnect, in milliseconds. */
const LIMIT = 5_000;
/** More than the longest pause before a retry: a connection that breaks before it is confirmed counts as a failed attempt. */
const LONGEST_PAUSE = 40_000;

const GATEWAY = {
  live: true,
  collections: { Orders: "read" },
  queries: { orders: { query: "from Orders" } },
};

onRavenDb(
  "after 200 disconnects nobody shows an outdated list",
  async (t, server) => {
    const hub = await changesHub(t, server, { options: { ...GATEWAY, live: {} } });
    const { base } = hub;
    const plain = await gateway(t, { server, base, options: GATEWAY });
    const front = await proxy(t, plain.url);
    const direct = await proxy(t, server.url);
    const write = (version) =>
      putDocument(server, base, "orders/1-A", { version, "@metadata": { "@collection": "Orders" } });
    await write(0);

    const watchers = [];
    for (const [url, what] of [
      [direct.url, { collection: "Orders" }],
      [front.url, { named: "orders" }],
      [hub.url, { named: "orders" }],
    ])
      for (let count = 0; count < EACH; count++) {
        const watcher = { version: undefined, connected: false };
        const store = open(t, url, base, { webSocket: WebSocket });
        store.watch(
          what,
          (orders, { connected }) => Object.assign(watcher, { version: orders?.[0]?.version, connected }),
          { every: 100, collections: ["Orders"] },
        );
        watchers.push(watcher);
      }
    const allShow = (version) => () => watchers.every((watcher) => watcher.version === version);
    const areConnected = () => watchers.every(({ connected }) => connected);
    await until(() => areConnected() && allShow(0)(), "the first list");

    /** The connections that can break, each with what broke. */
    const kinds = {
      "RavenDB's": [direct, plain.wire, hub.wire],
      "the gateway's": [front, hub.front],
    };
    const { pick } = random(SEED);
    const cut = { "RavenDB's": 0, "the gateway's": 0, "the hub's": 0 };
    let version = 0;
    for (let count = 1; count < DISCONNECTS; count++) {
      // The hub has a connection while somebody listens to it.
      if (count % 10 === 5) {
        await until(() => hub.wire.webSockets.size > 0, "the hub", LONGEST_PAUSE);
        await hub.abort();
        cut["the hub's"]++;
      } else {
        const kind = Object.keys(kinds)[count % 2];
        const open = () => kinds[kind].flatMap(({ webSockets }) => [...webSockets]);
        await until(() => open().length > 0, "a connection", LONGEST_PAUSE);
        const { client, server } = pick(open());
        for (const end of [client, server]) end.destroy();
        cut[kind]++;
      }
      await write(++version);
    }
    // The last one: while it has no connection, the hub misses a change that only its resync can tell.
    await until(() => areConnected() && allShow(version)(), "a calm moment", LONGEST_PAUSE);
    const written = new Promise((resolve) => {
      hub.wire.rule = async (request) => {
        if (isChanges(request)) await write(++version).then(resolve);
      };
    });
    hub.wire.cut();
    cut["RavenDB's"]++;
    await written;
    await until(areConnected, "the last reconnect", LONGEST_PAUSE);
    const began = performance.now();
    await within(LIMIT, until(allShow(version), "the newest list"), `the newest list (seed ${SEED})`);
    t.diagnostic(
      `${JSON.stringify(cut)}; newest ${Math.round(performance.now() - began)} ms after the last reconnect`,
    );
    assert.equal(
      Object.values(cut).reduce((sum, each) => sum + each),
      DISCONNECTS,
    );
  },
  { timeout: 180_000 },
);
