// Results of queries: documents of the session, projections, counts, errors.
import { GroupBy } from "client";
import { area, fails, failure, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
type Any = any;

class MyOrder {
  id?: string;
  name = "";
  total = 0;
}

class MyPart {
  name = "";
  total = 0;
}

const orders = async (server: Server) => {
  await server.put(
    "q/1",
    { name: "a", total: 5, customer: "c/1", at: "2020-01-01T00:00:00.0000000Z" },
    "Orders",
  );
  await server.put("q/2", { name: "b", total: 7, customer: "c/1", tags: ["x", "y"] }, "Orders");
  await server.put("q/3", { name: "b", total: 9, customer: "c/2", tags: ["y"] }, "Orders");
  await server.put("c/1", { name: "first" }, "Customers");
  await server.put("c/2", { name: "second" }, "Customers");
};

const all = (session: Any) => session.query({ collection: "Orders" }).waitForNonStaleResults();

export default area({
  "results are documents of the session": async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const loaded = (await session.load("q/2")) as Any;
    loaded.name = "changed here";
    const found = (await all(session).orderBy("total", "Long").all()) as Any[];
    observe(
      "ids",
      found.map(({ id }) => id),
    );
    observe("the same object", found[1] === loaded);
    observe("with its changes", found[1].name);
    observe("metadata", Object.keys(found[0]["@metadata"]).sort());
    observe("tracked", session.advanced.isLoaded("q/3"));
    observe("load asks nobody", [
      (await session.load("q/3")) === found[2],
      session.advanced.numberOfRequests,
    ]);
    found[0].total = 50;
    await session.saveChanges();
    observe("saved", await server.fields("q/1"));
    observe("no changes", session.advanced.hasChanges());
  },

  "deleted and evicted ones": async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const first = (await session.load("q/1")) as Any;
    session.advanced.evict(first);
    const again = (await all(session).whereEquals("id", "q/1").single()) as Any;
    observe("another object", again === first);
    await session.delete(again);
    observe("found all the same", (await all(session).whereEquals("id", "q/1").count()) as Any);
  },

  classes: async ({ open, observe, server }) => {
    await orders(server);
    const session = open((conventions) => conventions.registerEntityType(MyOrder)).openSession();
    const of = (await session
      .query<MyOrder>({ collection: "Orders", documentType: MyOrder })
      .waitForNonStaleResults()
      .whereEquals("name", "a")
      .first()) as Any;
    observe("instance", [of instanceof MyOrder, of.id, of.total]);
    const mine = new MyOrder();
    mine.name = "mine";
    await session.store(mine, "my/1");
    await session.saveChanges();
    const found = (await session.query(MyOrder).waitForNonStaleResults().all()) as Any[];
    observe("by the class alone", [found.length, found[0] === mine]);
    observe("its text", String(session.query(MyOrder).whereEquals("name", "x")));
    observe("of parts", String(session.query(MyOrder).whereEquals("name", "x").selectFields("total")));
    observe("of another class", String(session.query(MyOrder).ofType(MyPart)));
    const raw = (await session.advanced.rawQuery<MyOrder>("from MyOrders", MyOrder).all()) as Any[];
    observe(
      "raw, of a class",
      raw.map((order) => order instanceof MyOrder),
    );
  },

  includes: async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const found = (await all(session).include("customer").orderBy("total", "Long").all()) as Any[];
    observe("results alone", found.length);
    observe("the others are there", [session.advanced.isLoaded("c/1"), session.advanced.isLoaded("c/2")]);
    const customer = (await session.load(found[0].customer)) as Any;
    observe("without asking", [customer.name, session.advanced.numberOfRequests]);
    observe("nothing has changed", session.advanced.hasChanges());
    observe("path", (await all(session).include("customer").getQueryResult()).includedPaths);
  },

  noTracking: async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const found = (await all(session).noTracking().whereEquals("name", "a").single()) as Any;
    observe("a document", [found.name, found.id]);
    observe("nobody knows it", [session.advanced.isLoaded("q/1"), session.advanced.getDocumentId(found)]);
    const without = open().openSession({ noTracking: true });
    const other = (await all(without).whereEquals("name", "a").single()) as Any;
    observe("by the session", [other.name, without.advanced.isLoaded("q/1")]);
    better("no includes then", await failure(() => all(without).include("customer").all()), {
      ravendb: fails("Error"),
      edge: fails("InvalidOperationException"),
    });
  },

  endings: async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const named = (name: string) => all(session).whereEquals("name", name);
    const by = (query: Any) => query.orderByDescending("total", "Long");
    observe("first", ((await by(named("b")).first()) as Any).id);
    observe("first of none", await failure(() => named("z").first()));
    observe("firstOrNull", ((await by(named("b")).firstOrNull()) as Any).id);
    observe("firstOrNull of none", await named("z").firstOrNull());
    observe("single", ((await named("a").single()) as Any).id);
    observe("single of many", await failure(() => named("b").single()));
    observe("single of none", await failure(() => named("z").single()));
    observe("singleOrNull", ((await named("a").singleOrNull()) as Any).id);
    observe("singleOrNull of none", await named("z").singleOrNull());
    observe("singleOrNull of many", await failure(() => named("b").singleOrNull()));
    observe("any", await named("b").any());
    observe("any of none", await named("z").any());
    observe("any, distinct", await named("b").distinct().any());
    observe("count", await named("b").count());
    observe("longCount", await named("b").longCount());
    observe("count of none", await named("z").count());
    observe("count of all, taken less", await all(session).take(1).count());
    observe("all of none", await named("z").all());
    observe("requests", session.advanced.numberOfRequests);
  },

  "a query is sent once": async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const query = all(session).whereEquals("name", "b");
    const first = (await query.all()) as Any[];
    const second = (await query.all()) as Any[];
    observe("the same", [first.length, second[0] === first[0], session.advanced.numberOfRequests]);
  },

  statistics: async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    let statistics: Any;
    const query = all(session).whereEquals("name", "b").take(1);
    query.statistics((given: Any) => {
      statistics = given;
    });
    observe("given at once", [statistics !== undefined, statistics.totalResults]);
    const found = await query.all();
    const { totalResults, isStale, indexName, nodeTag, skippedResults } = statistics;
    observe("results", found.length);
    observe("statistics", [totalResults, isStale, indexName, nodeTag, skippedResults]);
    observe("times", [
      statistics.timestamp instanceof Date,
      statistics.indexTimestamp instanceof Date,
      statistics.lastQueryTime instanceof Date,
      typeof statistics.durationInMs,
      typeof statistics.resultEtag,
    ]);
    const result = await all(session).whereEquals("name", "b").getQueryResult();
    observe("result", [result.totalResults, result.results.length, result.isStale, result.indexName]);
    let timings: Any;
    await all(session)
      .timings((given: Any) => {
        timings = given;
      })
      .all();
    observe("timings", [typeof timings.durationInMs, Object.keys(timings.timings)]);
  },

  "parts of documents": async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const by = () => all(session).orderBy("total", "Long");
    observe("one field", await by().selectFields("name").all());
    observe("one that some lack", await by().selectFields("nothing").all());
    const several = ((await by().selectFields(["name", "total"]).all()) as Any[]).map(({ name, total }) => [
      name,
      total,
    ]);
    observe("several", several);
    const ids = ((await by().selectFields(["id", "name"]).all()) as Any[]).map(({ id, name }) => [id, name]);
    observe("with ids", ids);
    const parts = (await by().selectFields(["name", "total"], MyPart).all()) as Any[];
    observe(
      "of a class",
      parts.map((part) => [part instanceof MyPart, part.name, part.total]),
    );
    observe("not tracked", [session.advanced.isLoaded("q/1"), session.advanced.getDocumentId(parts[0])]);
    observe("distinct", await all(session).selectFields("name").distinct().all());
    const raw = session.advanced.rawQuery<Any>(
      "from Orders as o order by o.total select { twice: o.total * 2 }",
    );
    observe(
      "of a raw query",
      (await raw.all()).map(({ twice }: Any) => twice),
    );
    await server.put("q/4", { name: "c", total: 0 }, "Orders");
    better("a zero", await all(session).whereEquals("id", "q/4").selectFields("total").all(), {
      ravendb: [null],
      edge: [0],
    });
    better("twice", await failure(() => by().selectFields("name").selectFields("total").all()), {
      ravendb: fails("Error"),
      edge: fails("InvalidOperationException"),
    });
    better("none", await failure(() => by().selectFields([]).all()), {
      ravendb: { succeeded: [null, null, null, null] },
      edge: fails("InvalidArgumentException"),
    });
  },

  "dates come back in parts": async ({ open, observe }) => {
    const session = open().openSession();
    const order = { name: "dated", at: new Date(86_400_000), "@metadata": { "@collection": "Orders" } };
    await session.store(order, "q/dated");
    await session.saveChanges();
    const part = (await all(session)
      .whereEquals("name", "dated")
      .selectFields(["name", "at"])
      .single()) as Any;
    observe("a date", [part.at instanceof Date, part.at.getTime()]);
    const whole = (await all(open().openSession()).whereEquals("name", "dated").single()) as Any;
    observe("in whole documents", whole.at.getTime());
  },

  groups: async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const shown = (list: Any[]) =>
      list
        .map(({ "@metadata": _, ...fields }) => fields)
        .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    observe("by a field", shown(await all(session).groupBy("name").selectKey().selectCount().all()));
    const sums = all(session)
      .groupBy("customer")
      .selectKey("customer", "who")
      .selectSum({ fieldName: "total", projectedName: "spent" });
    observe("sums", shown(await sums.all()));
    const two = all(session)
      .groupBy("name", "customer")
      .selectKey("name")
      .selectKey("customer")
      .selectCount();
    observe("by two", shown(await two.all()));
    const items = all(session).groupBy("tags[]").selectKey("tags[]", "tag").selectCount();
    observe("by items of a list", shown(await items.all()));
    const lists = all(session).groupBy(GroupBy.array("tags")).selectKey("tags").selectCount();
    observe("by a list", shown(await lists.all()));
    observe(
      "of an index",
      await failure(() => session.query<Any>({ indexName: "x" }).groupBy("a").selectCount().all()),
    );
    observe("no field", await failure(() => (all(session).groupBy("name") as Any).selectSum()));
  },

  "raw queries": async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const raw = session.advanced.rawQuery<Any>("from Orders where total > $least order by total as long");
    const found = (await raw.addParameter("least", 6).waitForNonStaleResults().all()) as Any[];
    observe(
      "found",
      found.map(({ id }) => id),
    );
    observe("tracked", session.advanced.isLoaded("q/3"));
    const page = session.advanced.rawQuery<Any>("from Orders order by total as long").skip(1).take(1);
    observe("a page", ((await page.waitForNonStaleResults().single()) as Any).id);
    better("more, after it was sent", await failure(async () => (await raw.take(1).all()).length), {
      ravendb: { succeeded: 2 },
      edge: fails("InvalidOperationException"),
    });
    observe("no RQL", await failure(() => session.advanced.rawQuery<Any>("this is no RQL").all()));
    observe(
      "a parameter too few",
      await failure(() => session.advanced.rawQuery("from Orders where a = $x").all()),
    );
    observe("count", await session.advanced.rawQuery<Any>("from Orders").waitForNonStaleResults().count());
    const included = session.advanced.rawQuery<Any>("from Orders include customer");
    await included.waitForNonStaleResults().all();
    observe("includes", session.advanced.isLoaded("c/1"));
  },

  "what cannot be meant": async ({ open, observe, better }) => {
    const session = open().openSession();
    const query = () => session.query<Any>({ collection: "Orders" });
    const refused = (build: (query: Any) => Any) => failure(() => build(query()).all());
    observe("boost of nothing", await refused((query) => query.boost(2)));
    observe("a boost below zero", await refused((query) => query.whereEquals("a", 1).boost(-1)));
    observe("fuzzy of nothing", await refused((query) => query.fuzzy(0.5)));
    observe("fuzzy of a range", await refused((query) => query.whereLessThan("a", 1).fuzzy(0.5)));
    observe("too fuzzy", await refused((query) => query.whereEquals("a", 1).fuzzy(2)));
    observe("proximity of an equality", await refused((query) => query.whereEquals("a", 1).proximity(2)));
    observe("a proximity below zero", await refused((query) => query.search("a", "b").proximity(-2)));
    observe("and or", await refused((query) => query.whereEquals("a", 1).andAlso().orElse()));
    observe("or and", await refused((query) => query.whereEquals("a", 1).orElse().andAlso()));
    observe("distinct twice", await refused((query) => query.distinct().distinct()));
    observe(
      "a late operator",
      await refused((query) => query.whereEquals("a", 1).usingDefaultOperator("OR")),
    );
    observe("a parameter twice", await refused((query) => query.addParameter("a", 1).addParameter("a", 2)));
    observe("intersect of nothing", await refused((query) => query.intersect()));
    observe("a sorter without a name", await refused((query) => query.orderBy("a", { sorterName: "" })));
    observe("no index", await failure(() => session.query<Any>({ indexName: "none" }).all()));
    observe(
      "index and collection",
      await failure(() => session.query({ indexName: "a", collection: "b" }).all()),
    );
    better("an open bracket", await refused((query) => query.openSubclause().whereEquals("a", 1)), {
      ravendb: fails("RavenException"),
      edge: fails("InvalidOperationException"),
    });
  },

  lazily: async ({ open, observe, server }) => {
    await orders(server);
    await all(open().openSession()).whereEquals("name", "a").all();
    const session = open().openSession();
    const some = all(session).whereEquals("name", "b").orderBy("total", "Long").lazily();
    const count = all(session).whereEquals("name", "b").countLazily();
    const one = session.advanced.lazily.load<Any>("c/1");
    observe("nothing is sent", session.advanced.numberOfRequests);
    observe(
      "results",
      ((await some.getValue()) as Any[]).map(({ id }) => id),
    );
    observe("count", await count.getValue());
    observe("the load", (await one.getValue())?.name);
    observe("one request", session.advanced.numberOfRequests);
    observe("tracked", session.advanced.isLoaded("q/2"));
  },

  "what is no value, or no source": async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const greater = (value: Any) => outcome(() => all(session).whereGreaterThan("total", value).count());
    better("NaN", await greater(Number.NaN), {
      ravendb: fails("RavenException"),
      edge: fails("InvalidArgumentException"),
    });
    better(
      "a class that nobody has registered",
      await outcome(() => String(session.query("Nobody" as Any))),
      {
        ravendb: "from '@all_docs'",
        edge: fails("InvalidArgumentException"),
      },
    );
    const lost = session.query({ indexName: "No/Such" }).lazily();
    observe("a lazy query of no index", await outcome(() => lost.getValue()));
  },
});
