// Queries: indexes, listeners that change a query, projections, and calls that are refused.
import { area, fails, failure, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape, and queries of either client
type Any = any;

class MyOrder {
  id?: string;
  name = "";
}

/** As a class of an index says its name. */
class MyIndex {
  getIndexName() {
    return "Orders/Dear";
  }
}

const orders = async (server: Server) => {
  await server.put("x/1", { name: "a", total: 5 }, "Orders");
  await server.put("x/2", { name: "b", total: 7 }, "Orders");
  const maps = ["from o in docs.Orders where o.total > 6 select new { o.name }"];
  await server.send("PUT", "/admin/indexes", { Indexes: [{ Name: "Orders/Dear", Maps: maps, Type: "Map" }] });
};

export default area({
  "a query of an index": async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const ids = async (query: Any) => (await query.waitForNonStaleResults().all()).map(({ id }: Any) => id);
    observe("by its class", await ids(session.query(MyOrder, MyIndex as Any)));
    const found = (await session.query(MyOrder, MyIndex as Any).all()) as Any[];
    observe("instances", found[0] instanceof MyOrder);
    observe("as an option", await ids(session.query({ documentType: MyOrder, index: MyIndex as Any })));
    observe("of advanced", await ids(session.advanced.documentQuery({ index: MyIndex as Any } as Any)));
    observe("by its name", await ids(session.query({ documentType: MyOrder, indexName: "Orders/Dear" })));
    observe("its text", String(session.query(MyOrder, MyIndex as Any).whereEquals("name", "b")));
    observe("indexName", session.query(MyOrder, MyIndex as Any).indexName);
    observe(
      "and a collection",
      await failure(() => session.query({ collection: "Orders", index: MyIndex } as Any).all()),
    );
    better(
      "the option with a name",
      await outcome(() => String(session.query({ index: "Orders/Dear" } as Any))),
      {
        ravendb: fails("TypeError"),
        edge: "from index 'Orders/Dear'",
      },
    );
    better("with an instance", await outcome(() => String(session.query({ index: new MyIndex() } as Any))), {
      ravendb: fails("TypeError"),
      edge: "from index 'Orders/Dear'",
    });
    better("with what is none", await outcome(() => String(session.query({ index: {} } as Any))), {
      ravendb: fails("TypeError"),
      edge: fails("InvalidArgumentException"),
    });
  },

  getIndexQuery: async ({ open, observe, better }) => {
    const session = open().openSession();
    const query = session.query<Any>({ collection: "Orders" }).whereEquals("name", "a");
    const said = (asked: Any) => {
      const { query: text, queryParameters, waitForNonStaleResults, waitForNonStaleResultsTimeout } = asked;
      const { disableCaching, skipStatistics } = asked;
      return [
        asked.constructor.name,
        text,
        queryParameters,
        waitForNonStaleResults,
        waitForNonStaleResultsTimeout,
        disableCaching,
        skipStatistics,
      ];
    };
    observe("plain", said(query.getIndexQuery()));
    observe(
      "with options",
      said(
        query
          .waitForNonStaleResults(500)
          .noCaching()
          .skip(1)
          .take(2)
          .statistics(() => {})
          .getIndexQuery(),
      ),
    );
    better("twice", query.getIndexQuery().query, {
      ravendb: "from 'Orders' where name = $p0 limit $p3, $p4",
      edge: "from 'Orders' where name = $p0 limit $p1, $p2",
    });
    const raw = session.advanced.rawQuery<Any>("from Orders where name = $name").addParameter("name", "a");
    observe("of a raw query", said(raw.getIndexQuery()));
  },

  "what listeners change": async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const ids = (list: Any) => list.map(({ id }: Any) => id);
    const one = () => session.query<Any>({ collection: "Orders" }).whereEquals("name", "a") as Any;
    const parameter = one().waitForNonStaleResults();
    parameter.on("beforeQueryExecuted", (query: Any) => {
      query.queryParameters.p0 = "b";
    });
    observe("a parameter", ids(await parameter.all()));
    const text = one();
    text.on("beforeQueryExecuted", (query: Any) => {
      query.query = "from Orders where name = 'b'";
    });
    observe("the text", ids(await text.all()));
    const lazy = one();
    lazy.on("beforeQueryExecuted", (query: Any) => {
      query.queryParameters.p0 = "b";
    });
    observe("of a lazy one", ids(await lazy.lazily().getValue()));
    const streamed = one();
    streamed.on("beforeQueryExecuted", (query: Any) => {
      query.queryParameters.p0 = "b";
    });
    const items = [];
    for await (const { id } of (await session.advanced.stream(streamed)) as Any) items.push(id);
    observe("of a stream", items);
    let count = 0;
    const shown = one();
    shown.on("beforeQueryExecuted", () => count++);
    shown.getIndexQuery();
    await shown.all();
    observe("is told each time", count);
  },

  queryCustomization: async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    let given: Any;
    session.advanced.on("beforeQuery", ({ queryCustomization }: Any) => {
      given = queryCustomization;
      queryCustomization.getQuery().whereEquals("name", "b");
      queryCustomization.randomOrdering("seed");
    });
    const query = session.query<Any>({ collection: "Orders" }).waitForNonStaleResults() as Any;
    const found = (await query.all()) as Any[];
    observe(
      "takes effect",
      found.map(({ id }) => id),
    );
    observe("is about the query", given.getQuery() === query);
    const raw = session.advanced.rawQuery<Any>("from Orders");
    observe("of a raw query", await failure(() => raw.all()));
    const lazy = open().openSession();
    let told = 0;
    lazy.advanced.on("beforeQuery", () => told++);
    const later = lazy.query<Any>({ collection: "Orders" }).lazily();
    observe("a lazy query is told of at once", told);
    await later.getValue();
    observe("and once", told);
  },

  "what is refused at the call": async ({ open, observe, better }) => {
    const session = open().openSession();
    const at = (build: (query: Any) => unknown) =>
      failure(() => {
        build(session.query<Any>({ collection: "Orders" }));
        return "nothing";
      });
    observe("boost of nothing", await at((query) => query.boost(2)));
    observe("a boost below zero", await at((query) => query.whereEquals("a", 1).boost(-1)));
    observe("a boost of brackets", await at((query) => query.openSubclause().whereEquals("a", 1).boost(2)));
    observe("fuzzy of nothing", await at((query) => query.fuzzy(0.5)));
    observe("too fuzzy, of nothing", await at((query) => query.fuzzy(2)));
    observe("too fuzzy", await at((query) => query.whereEquals("a", 1).fuzzy(2)));
    observe("below fuzzy", await at((query) => query.whereEquals("a", 1).fuzzy(-0.1)));
    observe("proximity of an equality", await at((query) => query.whereEquals("a", 1).proximity(2)));
    observe("a proximity below zero", await at((query) => query.search("a", "b").proximity(-2)));
    observe("and or", await at((query) => query.whereEquals("a", 1).andAlso().orElse()));
    observe("or and", await at((query) => query.whereEquals("a", 1).orElse().andAlso(true)));
    observe("operators before anything", await at((query) => query.andAlso().orElse()));
    observe("a late operator", await at((query) => query.whereEquals("a", 1).usingDefaultOperator("OR")));
    observe("a parameter twice", await at((query) => query.addParameter("a", 1).addParameter("$a", 2)));
    observe("one that a condition has", await at((query) => query.whereEquals("a", 1).addParameter("p0", 2)));
    observe(
      "in a raw query",
      await failure(() => session.advanced.rawQuery("from x").addParameter("a", 1).addParameter("a", 2)),
    );
    observe("distinct twice", await at((query) => query.distinct().distinct()));
    observe("intersect of nothing", await at((query) => query.intersect()));
    observe("groups of an index", await failure(() => session.query({ indexName: "x" }).groupBy("a")));
    better("NaN", await at((query) => query.whereEquals("a", 1).fuzzy(Number.NaN)), {
      ravendb: { succeeded: "nothing" },
      edge: fails("InvalidArgumentException"),
    });
    const query = session.query<Any>({ collection: "Orders" }).whereEquals("a", 1);
    await failure(() => query.boost(-1));
    observe("leaves the query as it was", String(query));
  },

  "what is absent": async ({ open, better }) => {
    const raw = () => (open().openSession().advanced.rawQuery<Any>("from Orders") as Any).randomOrdering();
    better("says so", await failure(raw, "write RQL"), {
      ravendb: { error: "TypeError", mentions: false },
      edge: { error: "NotSupportedException", mentions: true },
    });
  },

  "an answer that is kept": async ({ open, observe, server }) => {
    await orders(server);
    const store = open();
    const ask = async () => {
      let statistics: Any;
      const query = store.openSession().query<Any>({ collection: "Orders" }).whereEquals("name", "a");
      const found = (await query.statistics((given: Any) => (statistics = given)).all()) as Any[];
      return [found[0].total, statistics.durationInMs >= 0, statistics.durationInMs === -1];
    };
    await store
      .openSession()
      .query<Any>({ collection: "Orders" })
      .whereEquals("name", "a")
      .waitForNonStaleResults()
      .all();
    observe("the first time", await ask());
    observe("took no time", await ask());
    observe("nor did it again", await ask());
  },
});
