// What the client for Rust does in a page and in workerd alike: the outcomes of the native tests (`client/tests/suite`) and of the npm
// package (`tests/server/saving-lost.test.mjs` and its neighbours).

const UNKNOWN = "OutcomeUnknown Unknown";

/** Two new documents whose save gets this response, or none: they are read back, and sent once. */
const readBack = (how, phase) => ({
  name: `new documents are read back after a lost response: ${how}`,
  phases: [phase],
  run: async (store, next) => {
    const session = store.session();
    const one = await session.store(1);
    await session.store(2);
    const said = [await session.save(), session.hasChanges()];
    await next();
    // The change is guarded by the change vector that was read.
    session.update(one, 3);
    return [...said, await session.save()];
  },
  expected: ["saved", false, "saved"],
  saves: 2,
  stored: { "orders/1-A": 3, "orders/2-A": 2 },
});

/** A lost save of a change that was made otherwise. */
const unknown = (what, change, stored) => ({
  name: `a lost save of ${what} has an unknown outcome, and saving again is safe`,
  documents: { "orders/old": { n: 0 } },
  phases: [{ save: "lose" }],
  change,
  run: async (store, next, { change }) => {
    const session = store.session();
    await change(session);
    const said = [await session.save(), session.hasChanges()];
    await next();
    return [...said, await session.save(), session.hasChanges()];
  },
  expected: [`${UNKNOWN} SaveAgain Unreachable`, true, "saved", false],
  saves: 2,
  stored,
});

const lateArrival = (what, change, n) => ({
  name: `the first of two lost saves arrives late and is recognized: in between ${what}`,
  phases: [{ save: "drop" }, { enter: ({ arrive }) => arrive(0) }],
  change,
  run: async (store, next, { change }) => {
    const session = store.session();
    const at = await session.store(1);
    const said = [await session.save()];
    change(session, at);
    said.push(await session.save());
    await next();
    return [...said, await session.save(), session.hasChanges()];
  },
  expected: [`${UNKNOWN} SaveAgain Unreachable`, `${UNKNOWN} SaveAgain Unreachable`, "saved", false],
  stored: { "orders/1-A": n },
});

/** Responses that a proxy may send instead of RavenDB's, after it has forwarded a save. */
const INSTEAD = [
  { status: 500, body: '{"Message":"connect ECONNREFUSED 10.0.0.1:8080"}' },
  { status: 200, body: "<html>Sign in</html>" },
  { status: 201, body: "<html>Sign in</html>" },
  { status: 401, body: "<html>Sign in</html>" },
  { status: 403, body: "<html>Forbidden</html>" },
  { status: 404, body: "<html>Not found</html>" },
  { status: 409, body: "" },
  { status: 410, body: "<html>Gone</html>" },
  { status: 429, body: "" },
];

/** What may be wrong with the results of a save. */
const WRONG = [
  (results) => results.reverse(),
  (results) => results.slice(1),
  () => [],
  (results) => [...results, results[0]],
  ([{ "@change-vector": _, ...first }, ...rest]) => [first, ...rest],
  ([first, ...rest]) => [{ ...first, "@id": "orders/9999-A" }, ...rest],
];

const refusal = (status, type, more) => ({
  status,
  body: JSON.stringify({ Type: type, Message: "as the test says", Error: "", ...more }),
});

/** Responses without the server, and the words of the error. */
const REFUSED = [
  [
    // There is no such document, so it proves nothing.
    refusal(409, "Raven.Client.Exceptions.ConcurrencyException", {
      Id: "orders/1-A",
      ActualChangeVector: "A:1",
    }),
    "Concurrency Unknown orders/1-A",
  ],
  [refusal(500, "System.InvalidOperationException"), "Server"],
  [{ status: 403, body: "" }, "ForeignOrigin"],
  [{ status: 408, body: "<html>Request Timeout</html>" }, `${UNKNOWN} SaveAgain Server`],
  [{ status: 524, body: "<html>late</html>" }, `${UNKNOWN} SaveAgain Server`],
];

/** Phases with one in between in which everything passes. */
const parted = (phases) => phases.flatMap((phase) => [phase, {}]);

/**
 * Each runs on a database that has `documents` alone, behind a proxy. `run(store, next, tools)` is the program's script; it sees nothing
 * of this file but `tools`. `next()` goes to the next of the `phases`: what happens to saves, reads, streams and all requests (rules of the
 * proxy), which response replaces that to a save or which results those in it, and what happens when the phase begins. After them
 * everything passes.
 */
export const SCENARIOS = [
  readBack("the connection ends", { save: "lose" }),
  readBack("10 bytes arrive", { save: { cut: 10 } }),
  readBack("an empty 500 of a proxy", { instead: { status: 500, body: "" } }),
  readBack("a page", { instead: { status: 200, body: "<html>Sign in</html>" } }),
  readBack("a 201 without results", { instead: { status: 201, body: "{}" } }),
  readBack("the gateway's 502", {
    instead: {
      status: 502,
      body: '{"Type":"RavenEdge.Gateway.UpstreamUnreachable","Message":"RavenDB cannot be reached"}',
    },
  }),
  {
    name: "a save that did not arrive is an error, and the next save sends it",
    phases: [{ save: "drop" }],
    run: async (store, next) => {
      const session = store.session();
      await session.store(1);
      const said = [await session.save(), session.hasChanges()];
      await next();
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} SaveAgain Unreachable`, true, "saved"],
    saves: 2,
    stored: { "orders/1-A": 1 },
  },
  {
    // Natively the outcome is "not saved": `fetch` does not tell whether anything was sent.
    name: "without a connection the outcome of a save is unknown",
    phases: [{}, { all: "drop" }],
    run: async (store, next) => {
      const session = store.session();
      session.storeAs(1, "orders/mine");
      const other = await session.exists("orders/other");
      await next();
      const said = [other, await session.save(), session.hasChanges()];
      await next();
      return [...said, await session.save()];
    },
    expected: [false, `${UNKNOWN} SaveAgain Unreachable`, true, "saved"],
    stored: { "orders/mine": 1 },
  },
  unknown("a semantic id", (session) => session.storeAs(1, "orders/mine"), { "orders/mine": 1 }),
  unknown("a changed document", async (session) => session.update(await session.load("orders/old"), 1), {
    "orders/old": 1,
  }),
  unknown("a deletion", (session) => session.deleteId("orders/old"), { "orders/old": undefined }),
  {
    name: "if saving again could store or patch twice, the error says to look first",
    documents: { "orders/old": { n: 0 } },
    phases: [{ save: "lose" }],
    run: async (store) => {
      const [one, other] = [store.session(), store.session()];
      one.storeAs(1, "orders/");
      other.patch("orders/old", "this.n++");
      return [await one.save(), await other.save()];
    },
    expected: [`${UNKNOWN} CheckFirst Unreachable`, `${UNKNOWN} CheckFirst Unreachable`],
    saves: 2,
    stored: { "orders/old": 1 },
  },
  {
    name: "another client's document under the same id is not mistaken for this session's",
    phases: [{ save: "drop", enter: ({ put }) => put("orders/1-A", { n: -1 }) }],
    run: async (store, next) => {
      const session = store.session();
      await session.store(1);
      const said = [await session.save()];
      await next();
      return [...said, await session.save()];
    },
    // The save before it may have caused the conflict.
    expected: [`${UNKNOWN} SaveAgain Unreachable`, "Concurrency Unknown orders/1-A"],
    stored: { "orders/1-A": -1 },
  },
  {
    name: "if reading back fails too, the next save resolves the outcome first",
    phases: [{ save: "lose", read: { status: 500, body: "{}" } }],
    run: async (store, next) => {
      const session = store.session();
      const one = await session.store(1);
      await session.store(2);
      const said = [await session.save(), (await session.save()).replace(/ \w+$/, "")];
      await next();
      session.update(one, 3);
      await session.store(4);
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} SaveAgain Unreachable`, `${UNKNOWN} SaveAgain`, "saved"],
    saves: 2,
    stored: { "orders/1-A": 3, "orders/2-A": 2, "orders/3-A": 4 },
    unsent: /orders\/2-A/,
  },
  lateArrival("nothing changes", () => {}, 1),
  lateArrival("the document is changed", (session, at) => session.update(at, 2), 2),
  {
    name: "after a lost save of a guarded change the app has to refresh first",
    phases: [{}, { save: "lose" }],
    run: async (store, next) => {
      const session = store.session();
      const at = await session.store(1);
      const said = [await session.save()];
      await next();
      session.update(at, 2);
      said.push(await session.save());
      await next();
      said.push(await session.save());
      await session.refresh(at);
      said.push(session.n(at), session.hasChanges());
      session.update(at, 3);
      return [...said, await session.save()];
    },
    expected: [
      "saved",
      `${UNKNOWN} Refresh Unreachable`,
      "Concurrency Unknown orders/1-A",
      2,
      false,
      "saved",
    ],
    stored: { "orders/1-A": 3 },
  },
  {
    name: "a deletion of a document that may still arrive is sent until the server responds",
    phases: [{ save: "drop" }, { enter: ({ arrive }) => arrive(0) }],
    run: async (store, next) => {
      const session = store.session();
      const at = await session.store(1);
      const id = session.id(at);
      const said = [await session.save()];
      session.delete(at);
      said.push(await session.save());
      await next();
      said.push(await session.load(id));
      return [...said, await session.save(), session.hasChanges()];
    },
    expected: [
      `${UNKNOWN} SaveAgain Unreachable`,
      `${UNKNOWN} SaveAgain Unreachable`,
      undefined,
      "saved",
      false,
    ],
    stored: { "orders/1-A": undefined },
  },
  {
    name: "a save that is dropped in the middle is resolved by the next one",
    run: async (store, _, { saved }) => {
      const session = store.session();
      const at = await session.store(1);
      const said = [await session.saveUntil(saved({ responds: false }))];
      said.push(session.hasChanges(), await session.save(), session.hasChanges());
      session.update(at, 2);
      return [...said, await session.save()];
    },
    expected: ["dropped", true, "saved", false, "saved"],
    saves: 2,
    stored: { "orders/1-A": 2 },
  },
  {
    name: "a dropped save of a guarded change is reported by the next one",
    run: async (store, _, { saved }) => {
      const session = store.session();
      const at = await session.store(1);
      const said = [await session.save()];
      session.update(at, 2);
      return [...said, await session.saveUntil(saved({ responds: false })), await session.save()];
    },
    expected: ["saved", "dropped", "Concurrency Unknown orders/1-A"],
    stored: { "orders/1-A": 2 },
  },
  {
    name: "what the app changes while a save is under way is saved next",
    run: async (store, _, { saved }) => {
      const session = store.session();
      const at = await session.store(1);
      const changed = saved({ responds: true }).then(() => session.update(at, 2));
      const said = [await session.save()];
      await changed;
      return [...said, session.hasChanges(), await session.save()];
    },
    expected: ["saved", true, "saved"],
    saves: 2,
    stored: { "orders/1-A": 2 },
  },
  {
    name: "whatever a proxy responds instead, it proves nothing, and new documents are read back",
    phases: INSTEAD.map((instead) => ({ instead })),
    run: async (store, next) => {
      const said = [];
      for (let turn = 0; turn < 9; turn++) {
        const [chosen, fresh] = [store.session(), store.session()];
        chosen.storeAs(1, `orders/mine${turn}`);
        await fresh.store(2);
        said.push((await chosen.save()).replace(/ \w+$/, ""), await fresh.save());
        await next();
      }
      return said;
    },
    expected: INSTEAD.flatMap(() => [`${UNKNOWN} SaveAgain`, "saved"]),
    saves: 18,
    stored: { "orders/mine0": 1, "orders/mine8": 1, "orders/9-A": 2 },
  },
  {
    name: "no part of a response with wrong results is used, and new documents are read back",
    phases: parted(WRONG.map((results) => ({ results }))),
    run: async (store, next) => {
      const said = [];
      for (let turn = 0; turn < 6; turn++) {
        const [chosen, fresh] = [store.session(), store.session()];
        const all = [chosen.storeAs(1, `chosen/${turn}/a`), chosen.storeAs(2, `chosen/${turn}/b`)];
        await fresh.store(1);
        await fresh.store(2);
        said.push(await fresh.save(), fresh.hasChanges(), await chosen.save(), chosen.vector(all[0]));
        await next();
        for (const at of all) await chosen.refresh(at);
        chosen.update(all[0], 3);
        said.push(await chosen.save());
        await next();
      }
      return said;
    },
    expected: WRONG.flatMap(() => ["saved", false, `${UNKNOWN} SaveAgain BadAnswer`, undefined, "saved"]),
    stored: { "chosen/0/a": 3, "chosen/5/b": 2 },
  },
  {
    name: "a save that was refused is saved by the next one, under the same ids",
    phases: parted(REFUSED.map(([save]) => ({ save }))),
    run: async (store, next) => {
      const said = [];
      for (let turn = 0; turn < 5; turn++) {
        const session = store.session();
        await session.store(1);
        said.push(await session.save(), session.hasChanges());
        await next();
        said.push(await session.save());
        await next();
      }
      return said;
    },
    expected: REFUSED.flatMap(([, words]) => [words, true, "saved"]),
    stored: { "orders/1-A": 1, "orders/5-A": 1 },
    max: 5,
  },
  {
    name: "a save that a proxy sends twice succeeds",
    phases: [
      {
        save: async ({ arrive }) => {
          await arrive(0);
        },
      },
    ],
    run: async (store) => {
      const session = store.session();
      await session.store(1);
      return [await session.save(), session.hasChanges()];
    },
    expected: ["saved", false],
    stored: { "orders/1-A": 1 },
  },
  {
    name: "an earlier save that arrives just before the next one causes no conflict",
    phases: [
      { save: "drop" },
      {
        save: async ({ arrive, saves }) => {
          if (saves() === 2) await arrive(0);
        },
      },
    ],
    run: async (store, next) => {
      const session = store.session();
      const at = await session.store(1);
      const said = [await session.save()];
      await next();
      session.update(at, 2);
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} SaveAgain Unreachable`, "saved"],
    stored: { "orders/1-A": 2 },
  },
  {
    name: "an earlier version that is found does not prove a save whose response is lost",
    phases: [
      { save: "drop" },
      {
        save: async ({ arrive }) => {
          await arrive(0);
          return "lose";
        },
      },
    ],
    run: async (store, next) => {
      const session = store.session();
      const at = await session.store(1);
      const said = [await session.save()];
      await next();
      session.update(at, 2);
      said.push(await session.save());
      await next();
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} SaveAgain Unreachable`, `${UNKNOWN} SaveAgain Unreachable`, "saved"],
    stored: { "orders/1-A": 2 },
  },
  {
    name: "a save that arrives after its timeout is recognized",
    timeout: 1_000,
    phases: [{ save: "hole" }, { enter: ({ arrive }) => arrive(0) }],
    run: async (store, next) => {
      const session = store.session();
      await session.store(1);
      const said = [await session.save()];
      await next();
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} SaveAgain Timeout`, "saved"],
    saves: 1,
    stored: { "orders/1-A": 1 },
  },
  {
    name: "after an unknown outcome and a refresh the next save sends nothing",
    documents: { "orders/old": { n: 0 } },
    phases: [{ save: "lose" }],
    run: async (store, next) => {
      const session = store.session(true);
      const [fresh, old] = [await session.store(1), await session.load("orders/old")];
      session.update(old, 2);
      const said = [await session.save()];
      await next();
      for (const at of [fresh, old]) await session.refresh(at);
      said.push(session.n(fresh), session.n(old), session.hasChanges());
      session.update(old, 3);
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} Refresh Unreachable`, 1, 2, false, "saved"],
    stored: { "orders/old": 3 },
  },
  {
    name: "a document for which the server may have made an id cannot be deleted",
    phases: [{ save: "lose" }],
    run: async (store, next) => {
      const session = store.session();
      const at = session.storeAs(1, "orders/");
      const said = [await session.save()];
      await next();
      session.delete(at);
      said.push(await session.save());
      session.evict(at);
      return [...said, await session.save()];
    },
    expected: [`${UNKNOWN} CheckFirst Unreachable`, "InvalidOperation", "saved"],
    saves: 1,
  },
  {
    name: "after an unknown outcome, evicting one of two documents does not affect the other",
    phases: [{ save: "lose", read: { status: 500, body: "{}" } }],
    run: async (store, next) => {
      const session = store.session();
      await session.store(1);
      const other = await session.store(2);
      await session.save();
      await next();
      session.evict(other);
      return [await session.save(), session.hasChanges()];
    },
    expected: ["saved", false],
    saves: 1,
    stored: { "orders/1-A": 1, "orders/2-A": 2 },
  },
  {
    name: "a document that is evicted while a lost save is read back does not make the save fail",
    phases: [{ save: "lose" }],
    run: async (store, _, { saved }) => {
      const session = store.session();
      const at = await session.store(1);
      await session.store(2);
      const evicted = saved({ responds: true, path: /\/docs$/ }).then(() => session.evict(at));
      const said = [await session.save()];
      await evicted;
      return [...said, session.hasChanges()];
    },
    expected: ["saved", false],
    saves: 1,
    stored: { "orders/2-A": 2 },
  },
  {
    name: "a session whose save of a new document and a deletion got lost can save again",
    documents: { "orders/old": { n: 0 } },
    phases: [{ save: "lose" }],
    run: async (store, next) => {
      const session = store.session();
      await session.store(1);
      session.deleteId("orders/old");
      const said = [await session.save()];
      await next();
      return [...said, await session.save(), session.hasChanges()];
    },
    expected: [`${UNKNOWN} SaveAgain Unreachable`, "saved", false],
    stored: { "orders/1-A": 1, "orders/old": undefined },
  },
  {
    name: "after a conflict about a new document it can be stored under a new id",
    phases: [{ enter: ({ put }) => put("orders/1-A", { n: -1 }) }],
    run: async (store) => {
      const session = store.session();
      const at = await session.store(1);
      const said = [await session.save()];
      session.evict(at);
      const again = await session.store(1);
      return [...said, session.id(again), await session.save()];
    },
    expected: ["Concurrency orders/1-A", "orders/2-A", "saved"],
    stored: { "orders/1-A": -1, "orders/2-A": 1 },
  },
  {
    name: "if the platform says that it is offline, a read goes first, and nothing else if that fails",
    phases: [{ all: "drop" }],
    run: async (store, next) => {
      const session = store.session();
      session.storeAs(1, "orders/mine");
      Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
      const failed = await session.save();
      // The time is over during a pause, or during a request.
      const said = [failed.replace("Timeout", "Unreachable"), session.hasChanges()];
      await next();
      // A server on the same device can be reached.
      said.push(await session.save());
      delete navigator.onLine;
      return said;
    },
    // The read is repeated until then.
    timeout: 2_000,
    expected: ["Unreachable NotSaved", true, "saved"],
    saves: 1,
    stored: { "orders/mine": 1 },
  },
  {
    name: "a conflict changes nothing and names the document",
    documents: { "orders/old": { n: 0 } },
    phases: [{}, { enter: ({ put }) => put("orders/old", { n: 5 }) }],
    run: async (store, next) => {
      const session = store.session(true);
      const [old, fresh] = [await session.load("orders/old"), await session.store(7)];
      await next();
      session.update(old, 1);
      const said = [await session.save(), await store.session().exists(session.id(fresh))];
      await session.refresh(old);
      said.push(session.n(old));
      session.update(old, 6);
      return [...said, await session.save()];
    },
    expected: ["Concurrency orders/old", false, 5, "saved"],
    stored: { "orders/old": 6, "orders/1-A": 7 },
  },
  {
    name: "without optimistic concurrency the last writer wins",
    documents: { "orders/old": { n: 0 } },
    phases: [{}, { enter: ({ put }) => put("orders/old", { n: 5 }) }],
    run: async (store, next) => {
      const session = store.session();
      const old = await session.load("orders/old");
      await next();
      session.update(old, 1);
      return session.save();
    },
    expected: "saved",
    stored: { "orders/old": 1 },
  },
  {
    name: "a slow server ends in an unknown outcome",
    timeout: 500,
    phases: [{ save: "hole" }],
    run: async (store) => {
      const session = store.session();
      session.storeAs(1, "orders/mine");
      return session.save();
    },
    expected: `${UNKNOWN} SaveAgain Timeout`,
  },
  {
    name: "if the first address is unreachable the next one is used",
    addresses: (raven) => `http://127.0.0.1:1 ${raven}`,
    run: async (store) => {
      const session = store.session();
      return [session.id(await session.store(1)), await session.save()];
    },
    expected: ["orders/1-A", "saved"],
    stored: { "orders/1-A": 1 },
  },
  {
    name: "whatever fetch is rejected with, it is an error",
    run: async (store) => {
      const { fetch } = globalThis;
      const codes = [];
      for (const rejection of ["plain text", undefined, { odd: true }]) {
        globalThis.fetch = () => Promise.reject(rejection);
        const said = await store
          .session()
          .exists("orders/1")
          .catch(({ message }) => message);
        codes.push(said.split(":")[0]);
      }
      globalThis.fetch = fetch;
      return codes;
    },
    timeout: 2_000,
    expected: ["Unreachable", "Unreachable", "Unreachable"],
  },
  {
    name: "a caller that gives up takes no number",
    run: async (store) => {
      const ids = store.ids("orders");
      const gone = await ids.nextUntil(Promise.resolve());
      return [gone, ...(await Promise.all([ids.next(), ids.next()]))];
    },
    expected: [undefined, "orders/1-A", "orders/2-A"],
    max: 2,
  },
  {
    name: "there are five ways to an id",
    run: async (store) => {
      const session = store.session();
      const all = [
        await session.store(1),
        ...["orders/mine", "orders/", "orders|", ""].map((id, at) => session.storeAs(at + 2, id)),
      ];
      const before = all.map((at) => session.id(at));
      const said = await session.save();
      const after = all.map((at) => session.id(at));
      const kinds = after.map((id) =>
        id.replace(/^orders\/0{5,}\d+-A$/, "by server").replace(/^.{36}$/, "GUID"),
      );
      return [before, said, kinds];
    },
    expected: [
      ["orders/1-A", "orders/mine", "orders/", "orders|", ""],
      "saved",
      ["orders/1-A", "orders/mine", "by server", "orders/1", "GUID"],
    ],
    stored: { "orders/1-A": 1, "orders/mine": 2, "orders/1": 4 },
  },
  {
    name: "exact numbers and maps survive",
    run: (store) => store.keepsNumbers(),
    expected: true,
  },
  {
    name: "members that the type does not have stay, and what changes nothing is not sent",
    documents: { "orders/1": { n: 1, extra: { a: [1] } } },
    run: async (store) => {
      const session = store.session();
      const at = await session.load("orders/1");
      session.update(at, 1);
      const seen = [session.hasChanges()];
      session.update(at, 2);
      return [...seen, await session.save(), await store.session().loadJs("orders/1")];
    },
    expected: [false, "saved", { n: 2, extra: { a: [1] } }],
    saves: 1,
  },
  {
    name: "objects of JavaScript are stored and loaded",
    run: async (store) => {
      const session = store.session();
      const id = await session.storeJs({ n: 1, lines: [{ price: 1.5 }], of: new Map([["a", null]]) });
      return [await session.save(), await store.session().loadJs(id)];
    },
    expected: ["saved", { n: 1, lines: [{ price: 1.5 }], of: { a: null } }],
  },
  {
    name: "includes, exists and metadata",
    documents: { "orders/1": { n: 1, of: "orders/2" }, "orders/2": { n: 2 } },
    run: async (store) => {
      const session = store.session();
      const one = await session.include("orders/1");
      const two = await session.load("orders/2");
      const seen = [session.n(two), session.requests()];
      seen.push(await session.exists("orders/2"), session.requests(), await session.exists("orders/3"));
      session.setMetadata(one, "source", "web");
      seen.push(await session.save(), session.metadata(one, "@collection"));
      const other = store.session();
      return [...seen, other.metadata(await other.load("orders/1"), "source")];
    },
    expected: [2, 1, true, 1, false, "saved", '"Orders"', '"web"'],
  },
  {
    name: "queries have parameters, pages, statistics, projections and streams",
    documents: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`orders/${n}`, { n }])),
    phases: [{}, { stream: { cut: 700 } }],
    run: async (store, next) => {
      const session = store.session();
      const found = [
        ...(await session.query("from Orders where n >= $min order by n as long", 3, 1, 2)),
        ...(await session.rows("from Orders where n < 2 order by n as long select n")),
        await session.stream("from Orders"),
      ];
      await next();
      return [...found, await session.stream("from Orders")];
    },
    expected: [6, 4, 5, 0, 1, "all 9", "BadAnswer after some: true"],
  },
  {
    name: "documents that do not fit keep no others away",
    documents: { "orders/1": { n: 1 }, "orders/2": { n: "two" } },
    run: async (store) => [
      ...(await store.session().loadMany(["orders/1", "orders/2", "orders/3"])),
      ...(await store.session().each("from Orders order by id()")),
    ],
    expected: ["1", "InvalidDocument orders/2", "absent", "1", "InvalidDocument orders/2"],
  },
  {
    name: "counter documents that the client writes itself go on where another store has stopped",
    run: async (_store, _next, { withCounters }) => {
      const seen = [];
      for (const values of [[1, 2], [3]]) {
        const own = withCounters();
        const session = own.session();
        for (const value of values) seen.push(session.id(await session.store(value)));
        seen.push(await session.save());
        await own.dispose();
      }
      return seen;
    },
    expected: ["orders/1", "orders/2", "saved", "orders/3", "saved"],
    stored: { "orders/1": 1, "orders/2": 2, "orders/3": 3 },
  },
  {
    name: "patches are sent with a save, and the entity follows",
    documents: { "orders/1": { n: 1 } },
    run: async (store) => {
      const session = store.session();
      const at = await session.load("orders/1");
      session.patch("orders/1", "this.n += 4");
      const seen = [await session.save(), session.reload(at), session.n(at)];
      session.update(at, 6);
      return [...seen, await session.save()];
    },
    expected: ["saved", true, 5, "saved"],
    stored: { "orders/1": 6 },
  },
  {
    name: "operations change many documents; identities count; indexes are put and got",
    documents: { "orders/1": { n: 1 }, "orders/2": { n: 2 } },
    run: async (store) => {
      const map = "from order in docs.Orders select new { order.n }";
      return [
        await store.patch("orders/1", "this.n += 10"),
        await store.patch("orders/none", "this.n += 10"),
        JSON.parse(await store.patchByQuery("from Orders update { this.n++ }")).Total,
        await store.identity("invoices", 41),
        (await store.index("Orders/ByN", map))[0] === map,
      ];
    },
    expected: ["Patched", "DocumentDoesNotExist", 2, 42, true],
    stored: { "orders/1": 12, "orders/2": 3 },
  },
  {
    name: "documents of a query are deleted",
    documents: { "orders/1": { n: 1 } },
    run: (store) => store.deleteByQuery("from Orders"),
    stored: { "orders/1": undefined },
  },
];
