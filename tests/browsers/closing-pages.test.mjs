// Which numbers a store keeps and which it returns: keep, release, dispose, and the last request of a closing page.
import assert from "node:assert/strict";
import { after } from "../support/cleanup.mjs";
import { becomes, distinct, inPage } from "../support/pages.mjs";
import { isReturn } from "../support/proxy.mjs";
import { counter, create, number, otherLease, ravendb, remove } from "../support/server.mjs";

inPage("with keep by tag, one tag keeps its whole lease, the other nothing", async ({ base, page, next }) => {
  await page.evaluate(async (name) => {
    const store = open(name, { keep: { orders: 100, notes: 0 } });
    await store.hilo("orders").next();
    await store.hilo("notes").next();
    await store.hilo("lines").next();
  }, base);
  await next();
  await becomes(base, 1, "notes");
  await becomes(base, 9, "lines");
  await becomes(base, 32, "orders");
  const parked = await page.evaluate(async (name) => {
    const store = open(name);
    return Promise.all(
      ["orders", "notes", "lines"].map(async (tag) => {
        const before = seen("lease").length;
        await store.hilo(tag).next();
        return seen("lease").some((lease) => lease.tag === tag) || before > 3;
      }),
    );
  }, base);
  assert.deepEqual(parked, [false, true, false], "only the notes need a lease");
});

inPage("keep by tag is case-insensitive", async ({ base, page, next }) => {
  await page.evaluate(
    (name) =>
      open(name, { keep: { Orders: 0 } })
        .hilo("orders")
        .next(),
    base,
  );
  await next();
  await becomes(base, 1);
});

inPage("an invalid keep is refused", async ({ base, page }) => {
  const codes = await page.evaluate((name) => {
    const keeps = [
      -1,
      Number.NaN,
      "many",
      "8",
      {},
      null,
      { orders: -1 },
      { orders: "x" },
      { orders: undefined },
    ];
    return keeps.map((keep) => {
      try {
        new DocumentStore("/raven", name, { keep }).initialize().dispose();
        return "taken";
      } catch (error) {
        return error.code;
      }
    });
  }, base);
  const no = "InvalidArgument";
  assert.deepEqual(codes, [no, no, no, no, "taken", "taken", no, no, "taken"]);
});

inPage(
  "release returns numbers and the store stays usable, also twice and while ids are requested",
  async ({ base, page }) => {
    const ids = await page.evaluate(async (name) => {
      globalThis.store = open(name, { keep: 0 });
      globalThis.hilo = store.hilo("orders");
      const ids = await take(hilo, 5);
      await store.release();
      return ids;
    }, base);
    assert.equal(await counter(ravendb, base, "orders"), 5, "all unused numbers were returned");
    const more = await page.evaluate(async () => {
      const asked = [];
      for (let round = 0; round < 10; round++) {
        for (let count = 0; count < 7; count++) asked.push(hilo.next());
        const releases = [store.release(), store.release()];
        for (let count = 0; count < 7; count++) asked.push(hilo.next());
        await Promise.all(releases);
      }
      return Promise.all(asked);
    });
    assert.equal(distinct(ids, more), 145);
    await page.evaluate(() => store.release());
    const highest = Math.max(...more.map(number));
    assert.ok((await counter(ravendb, base, "orders")) >= highest);
    assert.ok(
      (await otherLease(ravendb, base, "orders")).Low > highest,
      "no other client gets an issued number",
    );
  },
);

inPage("release does not return parked numbers", async ({ base, page }) => {
  const { id, before, after } = await page.evaluate(async (name) => {
    const store = open(name, { keep: 8 });
    const hilo = store.hilo("orders");
    const id = await hilo.next();
    const before = hilo.status();
    await store.release();
    return { id, before, after: hilo.status() };
  }, base);
  assert.deepEqual([number(id), before.parked, before.atHand], [1, 8, 23]);
  assert.deepEqual([after.parked, after.atHand], [8, 0]);
  assert.equal(await counter(ravendb, base, "orders"), 9);
});

/** Work that may be pending during dispose: runs in the page and returns promises. */
const UNDER_WAY = {
  "ids asked for": "Array.from({ length: 50 }, () => hilo.next())",
  "a first id in flight": "[hilo.next()]",
  "a reserve": "[hilo.reserve(500), hilo.next()]",
  "a reserve lifted": "[hilo.reserve(0), hilo.next()]",
  "a release": "[store.release(), hilo.next(), hilo.next()]",
};

for (const [name, started] of Object.entries(UNDER_WAY)) {
  for (const warm of [0, 3]) {
    inPage(
      `during dispose with ${name} after ${warm} ids, ids are issued before the return or refused`,
      async ({ base, page }) => {
        const { ids, codes, late } = await page.evaluate(
          async ([name, started, warm]) => {
            const store = open(name);
            const hilo = store.hilo("orders");
            const ids = await take(hilo, warm);
            const codes = [];
            const note = (promise) =>
              promise.then(
                (id) => id && ids.push(id),
                ({ code }) => codes.push(code),
              );
            const under = new Function("store", "hilo", `return ${started}`)(store, hilo).map(note);
            const disposed = store.dispose();
            const late = [hilo.take() ?? "nothing", await hilo.next().catch(({ code }) => code)];
            await Promise.all([...under, disposed]);
            late.push(hilo.take() ?? "nothing", await hilo.next().catch(({ code }) => code));
            late.push(
              await hilo.reserve(1).catch(({ code }) => code),
              await store.release().catch(({ code }) => code),
            );
            return { ids, codes, late };
          },
          [base, started, warm],
        );
        distinct(ids);
        for (const code of codes) assert.equal(code, "Disposed");
        assert.deepEqual(late, ["nothing", "Disposed", "nothing", "Disposed", "Disposed", "Disposed"]);
        const highest = Math.max(0, ...ids.map(number));
        assert.ok(
          (await otherLease(ravendb, base, "orders")).Low > highest,
          "no other client gets an issued number",
        );
      },
    );
  }
}

inPage("a database whose name equals a part of its route works", async ({ t, page, next }) => {
  const name = "databases";
  await remove(ravendb, name);
  await create(ravendb, name);
  after(t, () => remove(ravendb, name));
  await page.evaluate((name) => open(name, { keep: 0 }).hilo("orders").next(), name);
  await next();
  await becomes(name, 1);
});

inPage("`await using` returns all numbers", async ({ base, page }) => {
  const same = await page.evaluate(async (name) => {
    const store = open(name);
    await store.hilo("orders").next();
    await store[Symbol.asyncDispose]();
    return (
      (await store
        .hilo("orders")
        .next()
        .catch(({ code }) => code)) === "Disposed"
    );
  }, base);
  assert.ok(same);
  assert.equal(await counter(ravendb, base, "orders"), 1);
});

inPage(
  "dispose of a store that was never used returns what earlier stores have parked",
  async ({ base, page, next }) => {
    await page.evaluate((name) => open(name).hilo("orders").next(), base);
    await next();
    await becomes(base, 9);
    await page.evaluate((name) => open(name).dispose(), base);
    assert.equal(await counter(ravendb, base, "orders"), 1);
  },
);

/** How a closing page sends its request: `options` of the store and `spoil` run in the page. */
const PARTINGS = {
  "a beacon": { sent: ["beacon"] },
  "a fetch that outlives it, where there are headers": {
    options: () => ({ headers: () => ({ authorization: `Bearer ${location.pathname}` }) }),
    sent: ["fetch"],
    authorization: "Bearer /",
  },
  "the app's own fetch": {
    options: () => ({ fetch: (url, init) => fetch(url, init) }),
    sent: ["fetch"],
  },
  "a fetch that outlives it, where the beacon is refused": {
    spoil: () => {
      navigator.sendBeacon = () => false;
    },
    sent: ["refused", "fetch"],
  },
  "a fetch that outlives it, where there are no beacons": {
    spoil: () => {
      navigator.sendBeacon = undefined;
    },
    sent: ["fetch"],
  },
};

for (const [name, { options, spoil, sent, authorization }] of Object.entries(PARTINGS)) {
  inPage(`the last request of a closing page is ${name}`, async ({ base, page, next, wire }) => {
    if (spoil) await page.evaluate(spoil);
    await page.evaluate(
      ([name, options]) => {
        const note = (what) => {
          sessionStorage.sent = JSON.stringify([...JSON.parse(sessionStorage.sent ?? "[]"), what]);
        };
        const { fetch, navigator } = globalThis;
        const beacon = navigator.sendBeacon?.bind(navigator);
        if (beacon)
          navigator.sendBeacon = (url, body) => {
            const taken = beacon(url, body);
            note(taken ? "beacon" : "refused");
            return taken;
          };
        globalThis.fetch = (url, init) => {
          if (init.keepalive) note("fetch");
          return fetch(url, init);
        };
        return open(name, { keep: 0, ...new Function(`return (${options})()`)() })
          .hilo("orders")
          .next();
      },
      [base, String(options ?? (() => ({})))],
    );
    await next();
    await becomes(base, 1);
    const [{ path, headers }, ...others] = wire.of(isReturn);
    assert.deepEqual(others, []);
    assert.equal(headers.authorization, authorization);
    const beacon = sent.includes("beacon");
    assert.match(path, beacon ? /\/multi_get$/ : /\/bulk_docs$/);
    assert.equal(headers["content-type"], beacon ? "text/plain" : "application/json");
    assert.deepEqual(await page.evaluate(() => JSON.parse(sessionStorage.sent)), sent);
  });
}

inPage(
  "a closing page returns thirty tags in one request under 64 KiB",
  async ({ base, page, next, wire, t }) => {
    await page.evaluate(async (name) => {
      const store = open(name, { keep: 0 });
      await Promise.all(
        Array.from({ length: 30 }, (_, at) => store.hilo(`aCollectionOfSomeLength${at}`).next()),
      );
    }, base);
    await next();
    for (let at = 0; at < 30; at++) await becomes(base, 1, `aCollectionOfSomeLength${at}`);
    const returns = wire.of(isReturn);
    assert.equal(returns.length, 1);
    t.diagnostic(`${returns[0].body.length} bytes`);
    assert.ok(returns[0].body.length < 65_536, `${returns[0].body.length} bytes`);
  },
);
