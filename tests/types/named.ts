// Names of queries and patches, and the types of their parameters; checked, never run.
import {
  type DocumentSession,
  DocumentStore,
  type NamedDocumentQuery,
  type Names,
  type Tracked,
} from "raven-edge";
import gateway from "raven-edge/gateway";

interface Line {
  product: string;
  amount: number;
}

class Order {
  id?: string;
  total = 0;
  lines: Line[] = [];
}

const names = {
  claims: ["name"],
  queries: {
    openOrders: {
      query: "from Orders where customerId = $name and total >= $from",
      parameters: { from: { type: "number", default: 0 }, note: { type: "string", required: false } },
      page: { default: 25, max: 100 },
    },
    byState: {
      query: "from Orders where state in ($states) and at >= $since and open = $open and count > $count",
      parameters: {
        states: { type: "array", of: { type: "enum", values: ["open", "paid"] } },
        since: { type: "date" },
        open: { type: "boolean" },
        count: { type: "integer", min: 0 },
      },
      projection: ["total"],
      total: true,
    },
    all: { query: "from Orders" },
  },
  patches: {
    addLine: {
      collection: "Orders",
      script: "this.lines.push($line)",
      parameters: { line: { type: "object", maxBytes: 2_000 } },
    },
    close: { collection: "Orders", script: "this.open = false" },
  },
} as const satisfies Names;

// The Worker: the same object.
gateway({
  upstream: "https://ravendb.example",
  database: "Shop",
  secret: "s",
  collections: { Orders: "write" },
  ...names,
});

// The page: its types alone.
const page = new DocumentStore<typeof names>("/raven", "Shop").initialize();

async function use(session: DocumentSession<typeof names>): Promise<void> {
  const query: NamedDocumentQuery<Tracked<Order>> = session.query<Order>({ named: "openOrders" });
  const some: Order[] = await query.skip(1).take(5).noTracking().noCaching().all();
  const typed: NamedDocumentQuery<Order> = session.query({
    named: "openOrders",
    parameters: { from: 10, note: "x" },
    documentType: Order,
  });
  const order: Order | null = await typed.firstOrNull();
  const { results, next, isStale, totalResults } = await typed.skip(1).take(2).getQueryResult();
  session.query<Order>({ named: "openOrders", parameters: { from: 10 }, ...(next && { next }) });
  session.query({
    named: "byState",
    parameters: { states: ["open"], since: new Date(), open: true, count: 1 },
  });
  session.query({
    named: "byState",
    parameters: { states: [], since: "2026-11-24", open: true, count: 1 },
  });
  session.query({ named: "all" }).statistics((statistics) => statistics.next);
  const counted: number = await session.query({ named: "all" }).countLazily().getValue();
  for await (const { total } of session.query<Order>({ named: "all" })) void total;
  const stale: boolean[] = [];
  const streamed = session.advanced.stream(session.query<Order>({ named: "all" }), (all) =>
    stale.push(all.isStale),
  );
  for await (const { document, id } of streamed) void [document.total, id];

  page.watch<Order>({ named: "openOrders", parameters: { from: 10 } }, (orders = []) => void orders.length);
  // @ts-expect-error there is no such query
  page.watch({ named: "openOrder" }, () => {});

  const since = { since: "2026-11-24", open: true, count: 1 };
  // @ts-expect-error there is no such query
  session.query({ named: "openOrder" });
  // @ts-expect-error a patch is no query
  session.query({ named: "addLine" });
  // @ts-expect-error a number
  session.query({ named: "openOrders", parameters: { from: "10" } });
  // @ts-expect-error there is no such parameter
  session.query({ named: "openOrders", parameters: { form: 10 } });
  // @ts-expect-error the parameters are missing
  session.query({ named: "byState" });
  // @ts-expect-error a parameter is missing
  session.query({ named: "byState", parameters: { states: ["open"], since: new Date(), open: true } });
  // @ts-expect-error none of the values
  session.query({ named: "byState", parameters: { ...since, states: ["closed"] } });
  // @ts-expect-error it has no parameters
  session.query({ named: "all", parameters: { from: 1 } });
  // @ts-expect-error a named query has no conditions
  session.query({ named: "all" }).take(1).whereEquals("total", 1);
  // @ts-expect-error nor a text
  session.query({ named: "all" }).getIndexQuery();

  const line = { product: "products/1-A", amount: 2 } satisfies Line;
  session.advanced.patch("orders/1-A", { named: "addLine", parameters: { line } });
  session.advanced.patch(new Order(), { named: "close" });
  session.advanced.patch("orders/1-A", "total", 5);
  // @ts-expect-error there is no such patch
  session.advanced.patch("orders/1-A", { named: "open" });
  // @ts-expect-error the parameter is missing
  session.advanced.patch("orders/1-A", { named: "addLine" });
  // @ts-expect-error no object
  session.advanced.patch("orders/1-A", { named: "addLine", parameters: { line: 5 } });

  void [some, order, results, isStale, totalResults, counted];
}

/** A function of an app that does not know the names takes every session, and every name. */
async function untyped(session: DocumentSession): Promise<void> {
  await session.query<Order>({ named: "anything", parameters: { whatever: 1 } }).all();
  await session.query({ collection: "Orders" }).whereEquals("total", 1).all();
  session.advanced.patch("orders/1-A", { named: "anything" });
}

// A client that reaches RavenDB itself has the types of what it declares.
const server = new DocumentStore("https://ravendb.example", "Shop")
  .named(names, (session) => ({ name: session.advanced.externalState.get("user") }))
  .initialize();
const inline = new DocumentStore("https://ravendb.example", "Shop").named({
  queries: { recent: { query: "from Orders where at > $at", parameters: { at: { type: "date" } } } },
});
const session = inline.openSession();
session.query({ named: "recent", parameters: { at: new Date() } });
// @ts-expect-error there is no such query
session.query({ named: "resent" });
// @ts-expect-error no patches are declared
session.advanced.patch("orders/1-A", { named: "close" });
// @ts-expect-error no such type
inline.named({ queries: { x: { query: "from X", parameters: { y: { type: "text" } } } } });

interface Recent {
  id?: string;
  text: string;
}
inline.watch<Recent>({ named: "recent", parameters: { at: new Date() } }, (shown = [], { pending = [] }) => {
  const texts: string[] = [...shown, ...pending].map(({ text }) => text);
  void texts;
});
// @ts-expect-error there is no such query
inline.watch({ named: "resent" }, () => {});
inline.offline.prefetch({ named: "recent", parameters: { at: new Date() }, take: 10 });
// @ts-expect-error there is no such query
inline.offline.prefetch({ named: "resent" });

const stores: DocumentStore[] = [page, server, inline, new DocumentStore("/raven")];

export default [use(page.openSession()), use(server.openSession()), untyped(page.openSession()), stores];
