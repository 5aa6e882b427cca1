// Optimistic concurrency and what belongs to a document: entries of time series and counters, saved without the document and with it.
import type { IDocumentSession } from "client";
import { area, fails, failure, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

const AT = new Date(Date.UTC(2024, 0, 1));

/** A change of what belongs to a document. */
type Change = (session: IDocumentSession, target: string | object) => void;

const CHANGES: Record<string, Change> = {
  series: (session, target) => session.timeSeriesFor(target as string, "Heart").append(AT, 3),
  increments: (session, target) =>
    session.incrementalTimeSeriesFor(target as string, "INC:Steps").increment(AT, 2),
  counter: (session, target) => session.countersFor(target as string).increment("Likes", 2),
};

/** What is stored: the entries of both time series, and the counter. */
async function stored(server: Server, id: string): Promise<unknown> {
  const series = ["Heart", "INC:Steps"].map(async (name) => {
    const response = await server.send("GET", `/timeseries?docId=${id}&name=${encodeURIComponent(name)}`);
    return response.status === 404
      ? null
      : ((await response.json()) as Any).Entries.map(({ Values }: Any) => Values);
  });
  const counters = (await (await server.send("GET", `/counters?docId=${id}`)).json()) as Any;
  return [...(await Promise.all(series)), counters.Counters.map(({ TotalValue }: Any) => TotalValue)];
}

export default area({
  "the document is not in the session": async ({ open, observe, server }) => {
    for (const [kind, change] of Object.entries(CHANGES)) {
      const id = `a/${kind}`;
      await server.put(id, { n: 1 }, "Users");
      const session = open().openSession();
      session.advanced.useOptimisticConcurrency = true;
      change(session, id);
      observe(`${kind}: saved`, await outcome(() => session.saveChanges()));
      await server.put(id, { n: 2 }, "Users");
      change(session, id);
      observe(`${kind}: after a change of another client`, await outcome(() => session.saveChanges()));
      const loaded = (await session.load(id)) as Any;
      loaded.n = 3;
      observe(`${kind}: then the document`, await outcome(() => session.saveChanges()));
      observe(`${kind}: requests`, session.advanced.numberOfRequests);
      observe(`${kind}: stored`, await stored(server, id));
      observe(`${kind}: the document`, await server.fields(id));
    }
  },

  "by option, and by convention": async ({ open, observe, server }) => {
    const store = open((conventions) => conventions.setUseOptimisticConcurrency(true));
    for (const [kind, change] of Object.entries(CHANGES)) {
      await server.put(`b/${kind}`, { n: 1 }, "Users");
      const option = open().openSession({ optimisticConcurrencyMode: "Writes" } as Any);
      for (const [how, session] of Object.entries({ convention: store.openSession(), option })) {
        change(session, `b/${kind}`);
        observe(`${kind} by ${how}: saved`, await outcome(() => session.saveChanges()));
      }
      observe(`${kind}: stored`, await stored(server, `b/${kind}`));
    }
  },

  "the document does not exist": async ({ open, observe, server }) => {
    for (const [kind, change] of Object.entries(CHANGES)) {
      const session = open().openSession();
      session.advanced.useOptimisticConcurrency = true;
      await session.store({ n: 1, "@metadata": { "@collection": "Users" } } as Any, `c/${kind}-other`);
      change(session, `c/${kind}`);
      observe(`${kind}: refused`, await failure(() => session.saveChanges(), `c/${kind}`));
      observe(`${kind}: nothing of the batch is there`, await server.fields(`c/${kind}-other`));
      observe(`${kind}: the session has its changes`, session.advanced.hasChanges());
    }
  },

  "the document is in the session, and another client has changed it": async ({ open, observe, server }) => {
    for (const [kind, change] of Object.entries(CHANGES)) {
      const id = `d/${kind}`;
      await server.put(id, { n: 1 }, "Users");
      // What exists already is no change of the document.
      const before = open().openSession();
      change(before, id);
      await before.saveChanges();
      const session = open().openSession();
      session.advanced.useOptimisticConcurrency = true;
      const mine = (await session.load(id)) as Any;
      await server.put(id, { n: 2 }, "Users");
      change(session, mine);
      observe(`${kind}: saved without it`, await outcome(() => session.saveChanges()));
      mine.n = 3;
      change(session, mine);
      observe(`${kind}: with it`, await failure(() => session.saveChanges(), id));
      observe(`${kind}: nothing of that is there`, await stored(server, id));
      await session.advanced.refresh(mine);
      observe(`${kind}: refresh gives theirs`, mine.n);
      mine.n = 4;
      observe(`${kind}: then both are saved`, await outcome(() => session.saveChanges()));
      observe(`${kind}: stored`, await stored(server, id));
    }
  },

  "the first time series or counter changes the version of the document": async (section) => {
    const { open, observe, better, server } = section;
    for (const [kind, change] of Object.entries(CHANGES)) {
      const id = `e/${kind}`;
      await server.put(id, { n: 1 }, "Users");
      const session = open().openSession();
      session.advanced.useOptimisticConcurrency = true;
      const mine = (await session.load(id)) as Any;
      change(session, mine);
      observe(`${kind}: saved`, await outcome(() => session.saveChanges()));
      mine.n = 2;
      observe(`${kind}: then the document`, await failure(() => session.saveChanges(), id));
      const both = `e/${kind}-both`;
      await server.put(both, { n: 1 }, "Users");
      const other = open().openSession();
      other.advanced.useOptimisticConcurrency = true;
      const theirs = (await other.load(both)) as Any;
      theirs.n = 2;
      change(other, theirs);
      observe(`${kind}: saved with the document`, await outcome(() => other.saveChanges()));
      theirs.n = 3;
      const then = await outcome(() => other.saveChanges());
      if (kind === "counter") observe(`${kind}: then the document again`, then);
      else
        better(`${kind}: then the document again`, then, {
          ravendb: fails("ConcurrencyException"),
          edge: undefined,
        });
    }
  },

  "stored under an id that exists": async ({ open, observe, server }) => {
    for (const [kind, change] of Object.entries(CHANGES)) {
      const id = `f/${kind}`;
      await server.put(id, { n: 1 }, "Users");
      const session = open().openSession();
      session.advanced.useOptimisticConcurrency = true;
      await session.store({ n: 2, "@metadata": { "@collection": "Users" } } as Any, id);
      change(session, id);
      observe(`${kind}: refused`, await failure(() => session.saveChanges(), id));
      observe(`${kind}: nothing of it is there`, await stored(server, id));
    }
  },
});
