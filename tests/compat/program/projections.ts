// Projections: their source, the names of their members, the events about them.
import { QueryData } from "client";
import { area, fails, failure, outcome, type Server } from "./harness.js";

// biome-ignore lint/suspicious/noExplicitAny: parts of any shape, queries of either client
type Any = any;

class MyPart {
  name = "";
}

const INDEX = "Orders/ByName";

const orders = async (server: Server) => {
  await server.put("p/1", { name: "a", total: 5, address: { city: "x" } }, "Orders");
  await server.put("p/2", { name: "b", total: 7, tags: ["y"] }, "Orders");
};

/** An index that stores none of its fields. */
const index = (server: Server) =>
  server.send("PUT", "/admin/indexes", {
    Indexes: [{ Name: INDEX, Maps: ["from o in docs.Orders select new { o.name }"], Type: "Map" }],
  });

/** A note that npm `ravendb` makes for itself and forgets to take out. */
const shown = (list: Any[]) =>
  list.map((part) => {
    if (typeof part !== "object" || part === null) return part;
    const { __PROJECTED_NESTED_OBJECT_TYPES__: _, "@metadata": __, ...rest } = part;
    return rest;
  });

export default area({
  "where fields come from": async ({ open, observe, better, server }) => {
    await orders(server);
    await index(server);
    const ask = (field: string, behavior: Any, type?: Any) =>
      outcome(async () => {
        // A store of its own: npm `ravendb` takes an answer that it keeps for one of another behavior.
        const session = open().openSession();
        const query = session.query<Any>({ indexName: INDEX }).waitForNonStaleResults().orderBy("name");
        return shown((await query.selectFields<Any>([field], type, behavior).all()) as Any[]);
      });
    for (const behavior of ["Default", "FromIndex", "FromDocument"])
      for (const field of ["name", "nothing"]) observe(`${behavior}, ${field}`, await ask(field, behavior));
    observe("FromIndexOrThrow, not stored", await ask("name", "FromIndexOrThrow"));
    observe("FromDocumentOrThrow, not there", await ask("nothing", "FromDocumentOrThrow"));
    observe("of a class", await ask("nothing", "FromDocumentOrThrow", MyPart));
    better("FromDocumentOrThrow, there", await ask("name", "FromDocumentOrThrow"), {
      ravendb: fails("InvalidQueryException"),
      edge: ["a", "b"],
    });
  },

  "values and objects": async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const of = async (field: string) => {
      const query = session.query<Any>({ collection: "Orders" }).orderBy("name").waitForNonStaleResults();
      return shown((await query.selectFields<Any>(field).all()) as Any[]);
    };
    observe("values", await of("name"));
    observe("an object", await of("address"));
    observe("a list", await of("tags"));
    observe("a path", await of("address.city"));
    const dated = { at: new Date(0), "@metadata": { "@collection": "Dates" } };
    await session.store(dated, "dates/1");
    await session.saveChanges();
    const dates = session.query<Any>({ collection: "Dates" }).selectFields<Any>("at");
    better("a date", await dates.all(), { ravendb: ["1970-01-01T00:00:00.0000000"], edge: [new Date(0)] });
  },

  QueryData: async ({ open, observe, better, server }) => {
    await orders(server);
    const session = open().openSession();
    const query = () => session.query<Any>({ collection: "Orders" }).whereGreaterThan("total", 0);
    const ask = (data: QueryData, type?: Any) =>
      outcome(async () => {
        const made = query().waitForNonStaleResults().selectFields<Any>(data, type);
        return [String(made), shown((await made.all()) as Any[])];
      });
    observe("under other names", await ask(new QueryData(["name", "total"], ["n", "t"])));
    observe("one", await ask(new QueryData(["name"], ["n"])));
    observe("the id", await ask(new QueryData(["id", "name"], ["i", "n"])));
    observe("of a class", await ask(new QueryData(["name"], ["name"]), MyPart));
    const custom = QueryData.customFunction("o", "{ x: o.name, twice: o.total * 2 }");
    observe("a function", await ask(custom));
    const nested = query().whereEquals("address.city", "x").waitForNonStaleResults();
    const found = await outcome(() => nested.selectFields<Any>(custom, Object).count());
    better("a function, with a nested field", found, { ravendb: fails("InvalidQueryException"), edge: 1 });
    const strict = new QueryData(["nothing"], ["n"]);
    strict.projectionBehavior = "FromDocumentOrThrow";
    observe("its behavior", await ask(strict));
    observe("is in the query", (query() as Any).selectFields(strict).getIndexQuery().projectionBehavior);
    const few = () => String((query() as Any).selectFields(new QueryData(["a", "b"], ["a"])));
    observe("too few names", await failure(few));
    better(
      "an alias without a function",
      await failure(() => ask(new (QueryData as Any)(["o.name"], ["o.name"], "o"))),
      {
        ravendb: { succeeded: fails("InvalidQueryException") },
        edge: fails("NotSupportedException"),
      },
    );
  },

  "conversion events": async ({ open, observe, server }) => {
    await orders(server);
    const session = open().openSession();
    const seen: unknown[] = [];
    session.advanced.on("beforeConversionToEntity", (event: Any) => {
      seen.push(["before", event.id, event.type?.name, Object.keys(event.document).length]);
      event.document = { ...event.document, name: "changed" };
    });
    session.advanced.on("afterConversionToEntity", (event: Any) => {
      seen.push(["after", event.id, event.entity instanceof MyPart, event.document.name]);
      event.entity.after = true;
    });
    const one = () => session.query<Any>({ collection: "Orders" }).whereEquals("id", "p/1");
    observe("parts", shown((await one().selectFields<Any>(["name", "total"]).all()) as Any[]));
    observe("of a class", shown((await one().selectFields<Any>(["name"], MyPart).all()) as Any[]));
    observe("a value", await one().selectFields<Any>("name").all());
    const raw = session.advanced.rawQuery<Any>(
      "from Orders as o where id() = 'p/1' select { x: o.name }",
      MyPart,
    );
    observe("of a raw query", shown((await raw.all()) as Any[]));
    const items = [];
    const streamed = one().selectFields<Any>(["name", "total"]) as Any;
    for await (const { document } of (await session.advanced.stream(streamed)) as Any) items.push(document);
    observe("in a stream", shown(items));
    observe("raised", seen);
  },
});
