// The app goes on while a save is in progress. Each call comes at each moment of a save whose response is lost: the save succeeds only if
// a response or a read proves every command, and no call is forgotten.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DeleteCommandData } from "../../pkg/lib/entries/node.js";
import { missing, order, ravendb, send } from "../support/server.mjs";
import { prepared } from "../support/store.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };

const isBatch = ({ path }) => path.endsWith("/bulk_docs");
const isReadBack = ({ method, path }) => method === "POST" && path.endsWith("/docs");

/** What a save sends. `id`: of a document with `n: 0` that exists; returns the entity, if there is one. `isNew`: a read can prove it. */
const BATCHES = {
  "a new document": { isNew: true, make: stored },
  "two new documents": {
    isNew: true,
    async make(session) {
      await stored(session);
      return stored(session);
    },
  },
  "a new document with an attachment": {
    isNew: true,
    async make(session) {
      const entity = await stored(session);
      session.advanced.attachments.store(entity, "a", "text");
      return entity;
    },
  },
  "a new document under an id of the app": {
    async make(session, id) {
      const entity = order({ n: 1 });
      await session.store(entity, `${id}/new`);
      return entity;
    },
  },
  "a new document and a patch": {
    async make(session, id) {
      session.advanced.increment(id, "n", 1);
      return stored(session);
    },
  },
  "a changed document": {
    async make(session, id) {
      const entity = await session.load(id);
      entity.n = 1;
      return entity;
    },
  },
  "a deletion": {
    async make(session, id) {
      const entity = await session.load(id);
      await session.delete(entity);
      return entity;
    },
  },
  "a deletion by id": { make: (session, id) => session.delete(id) },
  "a patch": { make: (session, id) => session.advanced.increment(id, "n", 1) },
  "a counter": { make: (session, id) => session.countersFor(id).increment("likes") },
  "an attachment": { make: (session, id) => session.advanced.attachments.store(id, "a", "text") },
  "a revision of a changed document": {
    async make(session, id) {
      const entity = await session.load(id);
      entity.n = 1;
      session.advanced.revisions.forceRevisionCreationFor(entity);
      return entity;
    },
  },
};

async function stored(session) {
  const entity = order({ n: 1 });
  await session.store(entity);
  return entity;
}

/**
 * What the app calls meanwhile. `own`: a document of this call, with `n: 0`. `drops`: it drops what the session has not saved; `holds`:
 * what must be true of `own`, or of the document after it, when the session has saved again.
 */
const CALLS = {
  clear: { drops: true, call: ({ session }) => session.advanced.clear() },
  evict: { drops: true, call: ({ session, entity }) => entity && session.advanced.evict(entity) },
  delete: {
    call: ({ session, own }) => session.delete(own),
    holds: (found) => found === null,
  },
  store: {
    call: ({ session, own }) => session.store(order({ n: 5 }), `${own}/stored`),
    holds: (_, stored) => stored?.n === 5,
  },
  defer: {
    call: ({ session, own }) => session.advanced.defer(new DeleteCommandData(own)),
    holds: (found) => found === null,
  },
  patch: {
    call: ({ session, own }) => session.advanced.increment(own, "n", 1),
    holds: (found) => found.n === 1,
  },
  load: { call: ({ session, own }) => session.load(own), result: (entity) => entity.n === 0 },
  "a counter": {
    call: ({ session, own }) => session.countersFor(own).increment("likes"),
    holds: (found) => found["@metadata"]["@counters"]?.length === 1,
  },
  "another save": { call: ({ session }) => session.saveChanges().catch(() => {}) },
};

/** After so many microtasks, when the request has arrived, when the documents are read back. */
const MOMENTS = [2, 3, 4, 5, 6, 8, "the request", "the read"];
/** Calls that drop nothing need no more. */
const FEW = ["the request", "the read"];

/** What becomes of the request, and the moments of calls. */
const FAULTS = {
  drop: ["the request is lost", MOMENTS],
  lose: ["the response is lost", FEW],
  none: ["nothing is lost", ["the request"]],
};

/** All combinations with a fault. */
function* combinations(fault, moments) {
  for (const [what, batch] of Object.entries(BATCHES))
    for (const [name, call] of Object.entries(CALLS))
      for (const moment of call.drops ? moments : moments.filter((each) => FEW.includes(each)))
        if (batch.isNew || moment !== "the read") yield { fault, batch, call, moment, what, name };
}

/** Runs one combination; returns what is wrong, if anything is. */
async function run({ store, owners, id, own }, { fault, batch, call, moment }) {
  const session = store.openSession();
  const entity = await batch.make(session, id);
  const given = { session, entity, own };
  let calling;
  const act = () => {
    calling ??= Promise.resolve(call.call(given));
  };
  const seen = { batches: 0, reads: 0 };
  const rule = (request) => {
    if (isReadBack(request)) {
      seen.reads++;
      if (moment === "the read") act();
    }
    if (!isBatch(request) || ++seen.batches > 1) return;
    if (moment === "the request") act();
    return fault === "none" ? undefined : fault;
  };
  for (const each of [id, own, `${id}/new`, ...session.advanced.getTrackedEntities().keys()])
    owners.set(each, rule);
  const saving = session.saveChanges().then(
    () => undefined,
    (error) => error,
  );
  for (let at = 0; at < moment; at++) await null;
  if (typeof moment === "number") act();
  const error = await saving;
  const problem = judged({ ...seen, error, fault, batch, early: call.drops && typeof moment === "number" });
  const result = await calling;
  if (!calling) return "the moment never came";
  if (call.result && !call.result(result)) return "the call has another result";
  if (call.holds) {
    // The app decides what to do with increments whose outcome is unknown.
    session.countersFor(id).discard();
    await session.saveChanges();
  }
  return problem;
}

/** What is wrong with the outcome of a save. `early`: the call may have come before the save had begun. */
function judged({ error, fault, batch, batches, reads, early }) {
  const isProven = fault === "none" || (fault === "lose" && batch.isNew && reads > 0);
  if (batches === 0) return error || !early ? "nothing was sent" : undefined;
  if (!error) return isProven ? undefined : "nothing proves that it is saved";
  const { code, outcome, message } = error;
  if (code !== "OutcomeUnknown" || outcome !== "unknown") return `${code}: ${message}`;
  return isProven && !early ? "the outcome is known" : undefined;
}

for (const [fault, [what, moments]] of Object.entries(FAULTS))
  test(
    `whatever the app calls during a save, its outcome is true, and the call has its effect: ${what}`,
    SERVER,
    async (t) => {
      const { name, wire, store } = await prepared(t, ravendb);
      const all = [...combinations(fault, moments)];
      const put = (id) => ({ Type: "PUT", Id: id, ChangeVector: null, Document: order({ n: 0 }) });
      const Commands = all.flatMap((_, at) => [put(`old/${at}`), put(`own/${at}`)]);
      await send(ravendb.url, "POST", `/databases/${name}/bulk_docs`, { Commands });
      // Each request belongs to the combination of its first document.
      const owners = new Map();
      wire.rule = (request) => {
        const [, id] = /"Ids?":\[?"([^"]+)"/.exec(request.body) ?? [];
        return owners.get(id)?.(request);
      };
      const wrong = [];
      const called = [];
      const queue = all.entries();
      const work = async () => {
        for (const [at, combination] of queue) {
          const { what, name: call, moment } = combination;
          const own = `own/${at}`;
          const problem = await run({ store, owners, id: `old/${at}`, own }, combination);
          const where = `${what}, ${call} at ${moment}`;
          if (problem) wrong.push(`${where}: ${problem}`);
          else if (combination.call.holds) called.push({ own, where, holds: combination.call.holds });
        }
      };
      await Promise.all(Array.from({ length: 16 }, work));
      const Ids = called.flatMap(({ own }) => [own, `${own}/stored`]);
      const { Results } = (await send(ravendb.url, "POST", `/databases/${name}/docs`, { Ids })).json;
      for (const [at, { where, holds }] of called.entries())
        if (!holds(Results[2 * at], Results[2 * at + 1])) wrong.push(`${where}: the call was forgotten`);
      t.diagnostic(`${all.length} combinations`);
      assert.deepEqual(wrong, []);
    },
  );
