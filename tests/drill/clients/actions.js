// What an app does through sessions, the same in pages, Workers and Node. Each step is reported before it counts: an id before it is
// used, a mark before it is sent.

const COLLECTIONS = { orders: "Orders", items: "Items" };

/** What an error of a save says: nothing is on the server, or nobody knows. */
export function outcomeOf({ code, outcome, type }) {
  if (outcome) return outcome === "not saved" ? "notSaved" : outcome;
  if (code === "Concurrency" || (code === "Server" && type)) return "notSaved";
  return "unknown";
}

/** The incarnation of the database in the last response that a store has processed. */
export function follow(store) {
  let seen;
  store.on("succeedRequest", ({ response }) => {
    seen = response.headers.get("Database-Cluster-Tx-Id") ?? seen;
  });
  return () => seen;
}

/**
 * `note(report)` reports; `mark(letter)` makes a mark; `below(limit)` draws; `shared()` is the id of the document that all clients change
 * now. The client that an action gets has a `store`, and `seen`, which `follow` makes.
 */
export function actions({ note, mark, below, shared }) {
  const tell = async (marks, action) => {
    let kind = "saved";
    let code;
    try {
      await action();
    } catch (error) {
      ({ code } = error);
      kind = outcomeOf(error);
    }
    await note({ kind, marks, code });
  };
  const store = async (session, seen, tag, document) => {
    const before = seen();
    await session.store(Object.assign(document, { "@metadata": { "@collection": COLLECTIONS[tag] } }));
    await note({ kind: "took", id: document.id, seen: before });
    return document;
  };
  return {
    store,
    /** New documents, one of them with an attachment. */
    async save({ store: client, seen }) {
      const session = client.openSession();
      const marks = [];
      for (let count = 1 + below(4); count > 0; count--) {
        marks.push(mark("m"));
        const order = await store(session, seen, "orders", { marks: [marks.at(-1)] });
        if (count > 1 || below(2)) continue;
        marks.push(mark("a"));
        session.advanced.attachments.store(order, marks.at(-1), content(marks.at(-1)));
      }
      await note({ kind: "begun", marks });
      await tell(marks, () => session.saveChanges());
    },
    /** A change of a document that others change, too. */
    async edit({ store: client }) {
      const session = client.openSession();
      session.advanced.useOptimisticConcurrency = true;
      const document = await session.load(shared());
      const marks = [mark("m")];
      document.marks.push(...marks);
      await note({ kind: "begun", marks });
      await tell(marks, () => session.saveChanges());
    },
    /** Ids without documents. */
    async ids({ store: client, seen }) {
      const hilo = client.hilo("orders");
      const before = seen();
      const wanted = Array.from({ length: 1 + below(6) }, () => hilo.next());
      for (const one of await Promise.allSettled(wanted))
        if (one.value) await note({ kind: "took", id: one.value, seen: before });
    },
  };
}

/** The content of an attachment: its name, some times. */
export const content = (name) => name.repeat(1 + (Number(/~(\d+)~$/.exec(name)[1]) % 40));
