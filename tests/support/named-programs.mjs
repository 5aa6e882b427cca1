// Queries and patches by name, and programs that use them. They run with a client that declares the names itself, and through a
// gateway that declares them: the results are the same for what the caller may see.
import assert from "node:assert/strict";
import { send } from "./server.mjs";
import { failure } from "./store.mjs";

export const NAMES = {
  claims: ["name"],
  queries: {
    mine: {
      query: "from Notes where owner = $name and at >= $from order by at as long include product",
      parameters: { from: { type: "integer", min: 0, default: 0 } },
      page: { default: 5, max: 10 },
      total: true,
    },
    // Finds notes of others, too.
    shared: {
      query: "from Notes where shared = true and at >= $from order by at as long include product",
      parameters: { from: { type: "integer", required: false, default: 0 } },
      page: { default: 3, max: 4 },
    },
    everything: {
      query: "from Notes where shared = true order by at as long",
    },
    titles: {
      query: "from Notes where owner = $name and state in ($states) order by at as long",
      parameters: {
        states: { type: "array", of: { type: "enum", values: ["open", "done"] }, default: ["open", "done"] },
      },
      projection: ["title", "missing", "on"],
      page: { max: 50 },
    },
    // RavenDB tells no usable total of these two.
    listed: { query: "from Notes where startsWith(id(), 'notes/1')", page: { default: 3, max: 4 } },
    filtered: {
      query: "from Notes filter at > $from",
      parameters: { from: { type: "integer" } },
      page: { default: 3, max: 4 },
    },
    since: {
      query: "from Notes where owner = $name and on >= $on order by on",
      parameters: { on: { type: "date" } },
      page: { max: 50 },
    },
  },
  patches: {
    addLine: {
      collection: "Notes",
      script: "this.lines.push($line); this.by = $name;",
      parameters: { line: { type: "object", maxBytes: 200 } },
    },
    raise: {
      collection: "Notes",
      script: "this.at += args.by",
      parameters: { by: { type: "integer", min: 1, max: 10, default: 1 } },
    },
  },
};

export class Note {
  describe() {
    return `${this.title} by ${this.owner}`;
  }
}

const numbers = (results) => results.map(({ at }) => at);
const range = (from, to, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);

const COUNT = 24;
/** Of every three notes the first is Ann's; those with an odd number are done. Eve's come last. */
export const owner = (at) => (at >= 200 ? "eve" : at % 3 === 0 ? "ann" : "bob");

/** Stores the documents that the programs expect, and waits until they are indexed. */
export async function fill(server, base) {
  const Commands = [];
  const put = (Id, Document) => Commands.push({ Type: "PUT", Id, ChangeVector: null, Document });
  for (const at of [...range(0, COUNT), 200, 201, 202]) {
    const state = at % 2 === 0 ? "open" : "done";
    const on = new Date(Date.UTC(2026, 0, 1 + at)).toISOString().replace("Z", "0000Z");
    const note = { owner: owner(at), at, shared: true, state, on, title: `title ${at}`, lines: [] };
    const metadata = { "@collection": "Notes", "@nested-object-types": { on: "date" } };
    put(`notes/${at}`, { ...note, product: `products/${at}`, "@metadata": metadata });
    put(`products/${at}`, { name: `product ${at}`, "@metadata": { "@collection": "Products" } });
  }
  const stored = await send(server.url, "POST", `/databases/${base}/bulk_docs`, { Commands });
  assert.equal(stored.status, 201, stored.text);
  for (const { query } of Object.values(NAMES.queries)) {
    const QueryParameters = { name: "", from: 0, states: [], on: "" };
    const body = { Query: query, QueryParameters, WaitForNonStaleResults: true };
    assert.equal((await send(server.url, "POST", `/databases/${base}/queries`, body)).status, 200);
  }
}

/** Deletes notes of which the indexes do not learn. */
export async function deleteUnseen(server, base, numbers) {
  const stopped = await send(server.url, "POST", `/databases/${base}/admin/indexes/stop`);
  assert.equal(stopped.status, 204, stopped.text);
  const Commands = numbers.map((at) => ({ Type: "DELETE", Id: `notes/${at}`, ChangeVector: null }));
  const { status, text } = await send(server.url, "POST", `/databases/${base}/bulk_docs`, { Commands });
  assert.equal(status, 201, text);
}

/**
 * Programs by what they prove. `open(name)`: the store of a caller; `sees(numbers, name)`: those notes that the caller may see, by default Ann. `refusal(error)`:
 * what kind of error it is. `deleteUnseen(numbers)`: deletes notes of which the indexes do not learn.
 */
export const PROGRAMS = {
  async "a query gives the entities of the session, with includes"({ open }) {
    const session = (await open("ann")).openSession();
    const notes = await session.query({ named: "mine", documentType: Note }).take(3).all();
    assert.deepEqual(numbers(notes), [0, 3, 6]);
    assert.equal(notes[0].describe(), "title 0 by ann");
    assert.ok(notes[0].on instanceof Date);
    assert.equal(await session.load("notes/0"), notes[0]);
    const before = session.advanced.numberOfRequests;
    assert.equal((await session.load("products/3")).name, "product 3");
    assert.equal(session.advanced.numberOfRequests, before);
    assert.equal(session.advanced.hasChanges(), false);
  },

  async "skip and take, parameters and their defaults"({ open }) {
    const query = async (parameters, change = (query) => query) => {
      const session = (await open("ann")).openSession();
      return numbers(await change(session.query({ named: "mine", parameters })).all());
    };
    assert.deepEqual(await query(undefined), range(0, COUNT, 3));
    assert.deepEqual(await query({}), range(0, COUNT, 3));
    assert.deepEqual(await query({ from: 7 }), [9, 12, 15, 18, 21]);
    assert.deepEqual(await query({ from: undefined }, (query) => query.skip(1).take(2)), [3, 6]);
    assert.deepEqual(await query({ from: 7 }, (query) => query.skip(4)), [21]);
    assert.deepEqual(await query({ from: 100 }), []);
    assert.deepEqual(await query({}, (query) => query.skip(1).skip(2).take(9).take(1)), [6]);
  },

  async "more results than a page has are read to the end, without holes"({ open, sees }) {
    const session = (await open("ann")).openSession();
    assert.deepEqual(
      numbers(await session.query({ named: "shared" }).all()),
      sees([...range(0, COUNT), 200, 201, 202]),
    );
    const some = await session
      .query({ named: "shared", parameters: { from: 2 } })
      .take(7)
      .all();
    assert.deepEqual(numbers(some), sees(range(2, COUNT)).slice(0, 7));
    assert.equal((await session.load("notes/3")).at, 3);
  },

  async "pages follow each other by `next`"({ open, sees }) {
    const store = await open("ann");
    const found = [];
    let next;
    let pages = 0;
    do {
      const session = store.openSession();
      const page = await session.query({ named: "shared", next }).take(3).getQueryResult();
      assert.ok(page.results.length <= 3);
      assert.equal(page.isStale, false);
      found.push(...numbers(page.results));
      next = page.next ?? undefined;
      pages++;
    } while (next !== undefined);
    assert.deepEqual(found, sees([...range(0, COUNT), 200, 201, 202]));
    assert.equal(pages, Math.ceil(found.length / 3) + (pages > Math.ceil(found.length / 3) ? 1 : 0));
  },

  async "a stale index that lists deleted documents is read to its end"({ open, sees, deleteUnseen }) {
    const store = await open("ann");
    const gone = [0, 3, 4, 5, 6, 21, 200, 201, 202];
    await deleteUnseen(gone);
    const shared = (session, next) => session.query({ named: "shared", next });
    const left = sees(range(0, COUNT)).filter((at) => !gone.includes(at));
    assert.deepEqual(numbers(await shared(store.openSession()).all()), left);
    assert.deepEqual(numbers(await shared(store.openSession()).take(7).all()), left.slice(0, 7));
    const paged = [];
    for (let next; next !== null; ) {
      const page = await shared(store.openSession(), next).take(2).getQueryResult();
      paged.push(...numbers(page.results));
      next = page.next;
    }
    assert.deepEqual(paged, left);
  },

  async "a query whose total says nothing is read to its end"({ open, sees }) {
    const session = (await open("ann")).openSession();
    const sorted = (notes) => numbers(notes).sort((a, b) => a - b);
    const listed = sees([1, ...range(10, 20)]);
    assert.deepEqual(sorted(await session.query({ named: "listed" }).all()), listed);
    assert.deepEqual(sorted(await session.query({ named: "listed" }).take(20).all()), listed);
    const filtered = () => session.query({ named: "filtered", parameters: { from: 9 } });
    const wanted = sees([...range(10, COUNT), 200, 201, 202]);
    assert.deepEqual(sorted(await filtered().take(20).all()), wanted);
    for (const query of [session.query({ named: "listed" }), filtered()]) {
      const { results, next } = await query.take(2).getQueryResult();
      assert.deepEqual([results.length, typeof next], [2, "string"]);
    }
  },

  async "first, single, any and a loop"({ open, sees }) {
    const session = (await open("ann")).openSession();
    const from = (from) => session.query({ named: "mine", parameters: { from } });
    assert.equal((await from(4).first()).at, 6);
    assert.equal((await from(21).single()).at, 21);
    assert.equal((await from(21).singleOrNull()).at, 21);
    assert.equal(await from(22).firstOrNull(), null);
    assert.equal(await from(22).singleOrNull(), null);
    assert.deepEqual([await from(21).any(), await from(22).any()], [true, false]);
    assert.equal((await failure(from(22).first())).code, "InvalidOperation");
    assert.equal((await failure(from(0).single())).code, "InvalidOperation");
    assert.equal((await failure(from(0).singleOrNull())).code, "InvalidOperation");
    const seen = [];
    for await (const { at } of from(15)) seen.push(at);
    assert.deepEqual(seen, [15, 18, 21]);
    const shared = session.query({ named: "shared", parameters: { from: 1 } });
    assert.equal((await shared.first()).at, sees(range(1, COUNT))[0]);
  },

  async "the number of results is told by queries that say so"({ open }) {
    const session = (await open("ann")).openSession();
    assert.equal(await session.query({ named: "mine" }).count(), 8);
    assert.equal(await session.query({ named: "mine" }).take(2).longCount(), 8);
    let statistics;
    const query = session.query({ named: "mine", parameters: { from: 9 } }).statistics((given) => {
      statistics = given;
    });
    assert.equal(statistics.totalResults, undefined);
    assert.equal((await query.take(2).all()).length, 2);
    assert.deepEqual(
      [statistics.totalResults, statistics.isStale, typeof statistics.next],
      [5, false, "string"],
    );
    assert.equal(await query.count(), 5);
    for (const ending of ["count", "longCount"]) {
      const error = await failure(session.query({ named: "shared" })[ending]());
      assert.equal(error.code, "InvalidOperation");
      assert.match(error.message, /shared.*total: true/);
    }
    const { totalResults } = await session.query({ named: "shared" }).take(1).getQueryResult();
    assert.equal(totalResults, undefined);
    // Sent by an ending that needs no number.
    const sent = session.query({ named: "shared" }).take(1);
    await sent.all();
    for (const count of [() => sent.count(), () => sent.countLazily().getValue()]) {
      const error = await failure(count());
      assert.equal(error.code, "InvalidOperation");
      assert.match(error.message, /total: true/);
    }
  },

  async "a stream has all results, and none that the caller may not see"({ open, sees }) {
    const session = (await open("ann")).openSession();
    const streamed = async (query, tell) => {
      const found = [];
      for await (const item of session.advanced.stream(query, tell)) found.push(item);
      return found;
    };
    let isStale;
    const all = await streamed(session.query({ named: "everything", documentType: Note }), (statistics) => {
      isStale = statistics.isStale;
    });
    assert.equal(isStale, false);
    assert.deepEqual(
      all.map(({ document }) => document.at),
      sees([...range(0, COUNT), 200, 201, 202]),
    );
    const [{ id, changeVector, document }] = all;
    assert.deepEqual([id, typeof changeVector, document.describe()], ["notes/0", "string", "title 0 by ann"]);
    assert.equal(session.advanced.isLoaded("notes/0"), false);
    const parameters = { states: ["done"] };
    const titles = await streamed(session.query({ named: "titles", parameters }));
    assert.deepEqual(
      titles.map(({ document: { title, at, owner } }) => [title, at, owner]),
      [3, 9, 15, 21].map((at) => [`title ${at}`, undefined, undefined]),
    );
    const query = () => session.query({ named: "everything" });
    for (const limited of [
      query().skip(1),
      query().take(3),
      session.query({ named: "everything", next: "1" }),
    ]) {
      const error = await failure(streamed(limited));
      assert.deepEqual(
        [error.code, /no skip, take and next/.test(error.message)],
        ["InvalidOperation", true],
      );
    }
    const unknown = await failure(streamed(session.query({ named: "nothing" })));
    assert.ok(["InvalidArgument", "Server"].includes(unknown.code), unknown.code);
  },

  async "a projection gives members of documents, which are not tracked"({ open }) {
    const session = (await open("ann")).openSession();
    const parameters = { states: ["done"] };
    const found = await session.query({ named: "titles", parameters }).take(2).all();
    const on = (day) => `2026-01-${day}T00:00:00.0000000Z`;
    const metadata = (id) => ({ "@id": id, "@collection": "Notes", "@projection": true });
    assert.deepEqual(found, [
      { on: on("04"), title: "title 3", "@metadata": metadata("notes/3") },
      { on: on("10"), title: "title 9", "@metadata": metadata("notes/9") },
    ]);
    found[0].title = "changed";
    assert.equal(session.advanced.hasChanges(), false);
    assert.equal(session.advanced.isLoaded("notes/3"), false);
    assert.deepEqual(await session.query({ named: "titles", parameters: { states: [] } }).all(), []);
  },

  async "dates are compared as documents have them"({ open }) {
    const session = (await open("ann")).openSession();
    const on = new Date(Date.UTC(2026, 0, 16));
    assert.deepEqual(
      numbers(await session.query({ named: "since", parameters: { on } }).all()),
      [15, 18, 21],
    );
    const text = "2026-01-20";
    assert.deepEqual(numbers(await session.query({ named: "since", parameters: { on: text } }).all()), [21]);
  },

  async "untracked results are no entities of the session"({ open }) {
    const session = (await open("ann")).openSession();
    const [note] = await session.query({ named: "mine" }).noTracking().noCaching().take(1).all();
    note.title = "changed";
    assert.equal(session.advanced.hasChanges(), false);
    assert.equal(session.advanced.isLoaded("notes/0"), false);
  },

  async "lazy queries are sent when a value is needed, with lazy loads"({ open }) {
    const session = (await open("ann")).openSession();
    const seen = [];
    const lazy = session
      .query({ named: "mine", parameters: { from: 15 } })
      .lazily((notes) => seen.push(notes.length));
    const count = session.query({ named: "mine" }).countLazily();
    const product = session.advanced.lazily.load("products/1");
    const untold = session.query({ named: "shared" }).countLazily();
    assert.equal(session.advanced.numberOfRequests, 0);
    assert.deepEqual(numbers(await lazy.getValue()), [15, 18, 21]);
    assert.deepEqual(seen, [3]);
    const requests = session.advanced.numberOfRequests;
    assert.equal(await count.getValue(), 8);
    assert.equal((await product.getValue()).name, "product 1");
    assert.equal((await failure(untold.getValue())).code, "InvalidOperation");
    assert.equal(session.advanced.numberOfRequests, requests);
    assert.equal(await session.load("notes/15"), (await lazy.getValue())[0]);
  },

  async "a few results are found behind many that the caller may not see, and `next` goes on behind them"({
    open,
    sees,
  }) {
    const store = await open("eve");
    const found = [];
    let next;
    do {
      const query = store.openSession().query({ named: "shared", parameters: { from: 0 }, next });
      const page = await query.take(1).getQueryResult();
      found.push(...numbers(page.results));
      next = page.next ?? undefined;
    } while (next !== undefined);
    assert.deepEqual(found, sees([...range(0, COUNT), 200, 201, 202], "eve"));
    const skipped = store
      .openSession()
      .query({ named: "shared" })
      .skip(sees([...range(0, COUNT)], "eve").length + 1);
    assert.equal((await skipped.first()).at, 201);
  },

  async "methods that a named query does not have are refused"({ open }) {
    const session = (await open("ann")).openSession();
    for (const use of [
      (query) => query.whereEquals("at", 1),
      (query) => query.orderBy("at"),
      (query) => query.addOrder("at"),
      (query) => query.search("title", "x"),
      (query) => query.include("product"),
      (query) => query.selectFields("title"),
      (query) => query.groupBy("owner"),
      (query) => query.distinct(),
      (query) => query.boost(2),
      (query) => query.timings(() => {}),
      (query) => query.addParameter("from", 1),
      (query) => query.usingDefaultOperator("OR"),
      (query) => query.waitForNonStaleResults(),
    ]) {
      assert.throws(
        () => use(session.query({ named: "mine" })),
        ({ code, message }) =>
          code === "InvalidOperation" && /a named query has no \w+: .*parameter/.test(message),
        String(use),
      );
    }
    const projected = session.query({ named: "mine" }).projection("FromIndex");
    assert.equal((await failure(projected.all())).code, "InvalidOperation");
    for (const wrong of [-1, 1.5, "1", undefined])
      assert.throws(() => session.query({ named: "mine" }).take(wrong), { code: "InvalidArgument" });
    const mixed = await failure(session.query({ named: "mine", collection: "Notes" }).all());
    assert.match(mixed.message, /no option of a named query: "collection"/);
    assert.equal(session.advanced.numberOfRequests, 0);
  },

  async "names that nobody declares and wrong parameters are refused"({ open, refusal }) {
    const session = (await open("ann")).openSession();
    for (const [call, kind, message] of [
      [{ named: "mime" }, "name", /name|mine/],
      [{ named: "mine", parameters: { form: 1 } }, "parameters", /form/],
      [
        { named: "mine", parameters: { from: "1" } },
        "parameters",
        /the parameter from must be a whole number/,
      ],
      [{ named: "mine", parameters: { from: -1 } }, "parameters", /the parameter from must be at least 0/],
      [{ named: "mine", parameters: { name: "bob" } }, "parameters", /name/],
      [{ named: "since" }, "parameters", /the parameter on is missing/],
      [{ named: "since", parameters: { on: "soon" } }, "parameters", /the parameter on must be a date/],
      [
        { named: "titles", parameters: { states: ["x"] } },
        "parameters",
        /states has an item that must be one of "open", "done"/,
      ],
      [{ named: "mine", next: "bm90IGEgcG9zaXRpb24" }, "parameters", /[nN]ext/],
    ]) {
      const error = await failure(session.query(call).all());
      assert.equal(
        refusal(error),
        kind,
        `${JSON.stringify(call)}: ${error.code} ${error.type} ${error.message}`,
      );
      assert.match(error.message, message);
    }
  },

  async "a patch changes the document, and the entity of the session"({ open }) {
    const store = await open("ann");
    const session = store.openSession();
    const note = await session.load("notes/0");
    const on = new Date(Date.UTC(2026, 5, 1));
    session.advanced.patch(note, { named: "addLine", parameters: { line: { product: "products/1", on } } });
    session.advanced.patch("notes/3", { named: "raise", parameters: { by: 2 } });
    session.advanced.patch("notes/6", { named: "raise" });
    await session.saveChanges();
    assert.equal(note.by, "ann");
    assert.equal(note.lines[0].product, "products/1");
    assert.equal(session.advanced.hasChanges(), false);
    const other = store.openSession();
    const {
      "notes/0": first,
      "notes/3": second,
      "notes/6": third,
    } = await other.load(["notes/0", "notes/3", "notes/6"]);
    assert.equal(new Date(first.lines[0].on).getTime(), on.getTime());
    assert.deepEqual([first.lines.length, second.at, third.at], [1, 5, 7]);
    note.title = "after the patch";
    await session.saveChanges();
    assert.equal((await store.openSession().load("notes/0")).title, "after the patch");
  },

  async "a patch is saved together with documents, or not at all"({ open }) {
    const store = await open("ann");
    const session = store.openSession();
    const made = { owner: "ann", at: 100, "@metadata": { "@collection": "Notes" } };
    await session.store(made, "notes/100");
    session.advanced.patch("notes/9", { named: "raise" });
    session.advanced.patch("notes/none", { named: "raise" });
    await session.saveChanges();
    const { "notes/9": patched, "notes/100": stored } = await store
      .openSession()
      .load(["notes/9", "notes/100"]);
    assert.deepEqual([patched.at, stored.at], [10, 100]);
    const failing = store.openSession();
    await failing.store({ ...made, "@metadata": { "@collection": "Notes" } }, "notes/100", {
      changeVector: "",
    });
    failing.advanced.patch("notes/9", { named: "raise" });
    assert.equal((await failure(failing.saveChanges())).code, "Concurrency");
    assert.equal((await store.openSession().load("notes/9")).at, 10);
    const changing = store.openSession();
    const note = await changing.load("notes/9");
    note.title = "changed";
    changing.advanced.patch(note, { named: "raise" });
    assert.equal((await failure(changing.saveChanges())).code, "InvalidOperation");
  },

  async "patches that nobody declares, wrong parameters and other collections are refused"({
    open,
    refusal,
  }) {
    const store = await open("ann");
    for (const [call, kind, message] of [
      [{ named: "rise" }, "patch", /name|raise/],
      [{ named: "raise", parameters: { by: 11 } }, "parameters", /the parameter by must be at most 10/],
      [{ named: "raise", parameters: { bye: 1 } }, "parameters", /bye/],
      [{ named: "addLine" }, "parameters", /the parameter line is missing/],
      [{ named: "addLine", parameters: { line: { text: "x".repeat(200) } } }, "parameters", /200 bytes/],
    ]) {
      const session = store.openSession();
      // A client that declares the names refuses at once.
      const saving = async () => {
        session.advanced.patch("notes/12", call);
        await session.saveChanges();
      };
      const error = await failure(saving());
      assert.equal(
        refusal(error),
        kind,
        `${JSON.stringify(call)}: ${error.code} ${error.type} ${error.message}`,
      );
      assert.match(error.message, message);
    }
    const session = store.openSession();
    session.advanced.patch("products/12", { named: "raise" });
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "Server");
    assert.equal((await store.openSession().load("notes/12")).at, 12);
    assert.equal((await store.openSession().load("products/12")).at, undefined);
  },
};
