// Deployed indexes: the stored definition, results of queries, errors.
import {
  AbstractCsharpIndexCreationTask,
  AbstractJavaScriptIndexCreationTask,
  DeleteIndexErrorsOperation,
  DeleteIndexOperation,
  EnableIndexOperation,
  GetIndexErrorsOperation,
  GetIndexNamesOperation,
  GetIndexOperation,
  GetIndexStatisticsOperation,
  GetTermsOperation,
  IndexCreation,
  IndexDefinition,
  IndexHasChangedOperation,
  PutIndexesOperation,
  ResetIndexOperation,
  SetIndexesLockOperation,
  SetIndexesPriorityOperation,
  StartIndexOperation,
  StopIndexOperation,
} from "client";
import { area, failure, outcome, type Server, until } from "./harness.js";
import {
  Csharp_Names,
  Csharp_Sums,
  fill,
  ids,
  Names_All,
  Names_Counted,
  NONE,
  Order,
  Orders_ByTotal,
  Orders_Sums,
  Places_Everything,
  Raw_Totals,
  Role,
  stored,
  sums,
} from "./index-classes.js";

export default area({
  deployed: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    observe("execute gives nothing", await new Orders_ByTotal().execute(store));
    await new Orders_Sums().execute(store);
    await store.executeIndex(new Names_All());
    await store.executeIndexes([new Names_Counted(), new Places_Everything()]);
    await IndexCreation.createIndexes([new Csharp_Sums(), new Csharp_Names()], store);
    await new Raw_Totals().execute(store, store.conventions);
    for (const name of await store.maintenance.send(new GetIndexNamesOperation(0, 20)))
      observe(`${name} in the server`, await stored(server, name));
    observe("a map", await ids(store, "Orders/ByTotal"));
    observe("a reduce", await sums(store, "Orders/Sums"));
    observe("two maps", await ids(store, "Names/All"));
    observe("two maps and a reduce", await sums(store, "Names/Counted"));
    observe("places", await ids(store, "Places/Everything"));
    observe("C#", await sums(store, "Csharp/Sums"));
    observe("C# with two maps", await ids(store, "Csharp/Names"));
    observe("texts", await ids(store, "Raw/Totals"));
    const session = store.openSession();
    const found = await session
      .query<Order>({ indexName: "Orders/ByTotal" })
      .whereGreaterThan("total", 6)
      .orderBy("total", "Long")
      .all();
    observe(
      "conditions",
      found.map(({ total }) => total),
    );
    const byClass = session
      .query(Order, Orders_ByTotal)
      .whereGreaterThan("total", 6)
      .orderBy("total", "Long");
    observe(
      "by its class",
      (await byClass.all()).map(({ total }) => total),
    );
    const byOption = session.query<Order>({ index: Orders_Sums }).whereEquals("customer", "ada");
    observe(
      "by its class as an option",
      (await byOption.all()).map(({ total }) => total),
    );
  },

  sources: async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    class Orders_Helped extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.addSource(function twice(number: number) {
          return number * 2;
        });
        this.addSource("thrice", function thrice(number: number) {
          return number * 3;
        });
        // The server has these names, not this program.
        const [twice, thrice] = [] as unknown as ((number: number) => number)[];
        this.map("Orders", (order) => ({
          total: order.total > 8 ? twice(order.total) : thrice(order.total),
        }));
      }
    }
    const sources = new Orders_Helped().additionalSources;
    observe("their names", Object.keys(sources));
    await new Orders_Helped().execute(store);
    await ids(store, "Orders/Helped");
    observe(
      "what they made",
      (await store.maintenance.send(new GetTermsOperation("Orders/Helped", "total", NONE, 10))).sort(),
    );
    class Arrow extends Orders_ByTotal {
      constructor() {
        super();
        this.addSource("arrow", (number: number) => number);
      }
    }
    observe("an arrow function", await failure(() => new Arrow(), "unction"));
    class Users_Admins extends AbstractJavaScriptIndexCreationTask<{ name: string; role: string }> {
      constructor() {
        super();
        this.registerEnum(() => Role.Admin);
        this.map("Users", (user) => ({ admin: user.role === Role.Admin }));
      }
    }
    observe(
      "an enum",
      [...new Users_Admins().createIndexDefinition().maps].join().includes('"administrator"'),
    );
    class Users_Twice extends AbstractJavaScriptIndexCreationTask<{ name: string; role: string }> {
      constructor() {
        super();
        this.registerEnum(() => Role.Admin);
        this.map("Users", (user) => ({ a: user.role === Role.Admin, b: user.name === Role.Admin }));
      }
    }
    const left =
      [...new Users_Twice().createIndexDefinition().maps].join().split('"administrator"').length - 1;
    better("an enum in two places", left, { ravendb: 1, edge: 2 });
    class Loading extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        const { load } = this.mapUtils();
        this.map("Orders", (order) => ({
          name: load<{ name: string }>("users/1", "Users").name,
          of: order.customer,
        }));
      }
    }
    await new Loading().execute(store);
    await ids(store, "Loading");
    observe("load in a map", await store.maintenance.send(new GetTermsOperation("Loading", "name", NONE)));
  },

  errors: async ({ open, observe, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    const { maintenance } = store;
    class Orders_Failing extends AbstractJavaScriptIndexCreationTask<Order> {
      constructor() {
        super();
        this.map("Orders", (order) => {
          if (order.customer !== "nobody") throw new Error("a customer");
          return { name: order.customer };
        });
      }
    }
    await new Orders_Failing().execute(store);
    await outcome(() => ids(store, "Orders/Failing"));
    // The query waits for the batch; its errors are stored a moment later.
    const count = async () =>
      (await maintenance.send(new GetIndexErrorsOperation(["Orders/Failing"])))[0].errors.length;
    await until(async () => (await count()) === 3);
    const [found, ...more] = await maintenance.send(new GetIndexErrorsOperation());
    observe("of all", [found.name, found.errors.length, more.length]);
    const [{ errors }] = await maintenance.send(new GetIndexErrorsOperation(["Orders/Failing"]));
    observe("each", errors.map(({ document, action }) => [document, action]).sort());
    observe(
      "their times",
      errors.every(({ timestamp }) => timestamp instanceof Date),
    );
    observe("forget them", await maintenance.send(new DeleteIndexErrorsOperation(["Orders/Failing"])));
    observe("forgotten", await maintenance.send(new GetIndexErrorsOperation(["Orders/Failing"])));
    observe(
      "of none",
      await failure(() => maintenance.send(new GetIndexErrorsOperation(["No/Such"])), "No/Such"),
    );
    class Broken extends AbstractCsharpIndexCreationTask {
      constructor() {
        super();
        this.map = "from order in docs.Orders select nonsense";
      }
    }
    observe("what does not compile", await failure(() => new Broken().execute(store), "Broken"));
    observe(
      "two of which one does not compile",
      await failure(() => store.executeIndexes([new Orders_ByTotal(), new Broken()])),
    );
    observe("neither is there", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    observe(
      "by createIndexes",
      await failure(() => IndexCreation.createIndexes([new Orders_ByTotal(), new Broken()], store)),
    );
    observe("the first is there", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    observe("no index at all", await outcome(() => store.executeIndexes([])));
    observe("no definition", [
      await outcome(() => new PutIndexesOperation()),
      await outcome(() => maintenance.send(new PutIndexesOperation(new IndexDefinition()))),
      await outcome(() => new IndexHasChangedOperation(undefined as never)),
    ]);
    observe("no name", [
      await outcome(() => new GetIndexOperation("")),
      await outcome(() => new GetIndexStatisticsOperation("")),
      await outcome(() => new DeleteIndexOperation("")),
      await outcome(() => new ResetIndexOperation("")),
      await outcome(() => new StartIndexOperation("")),
      await outcome(() => new StopIndexOperation("")),
      await outcome(() => new EnableIndexOperation("")),
      await outcome(() => new GetTermsOperation("A", "", NONE)),
      await outcome(() => new SetIndexesLockOperation("", "Unlock")),
      await outcome(() => new SetIndexesLockOperation({ indexNames: [], mode: "Unlock" })),
      await outcome(() => new SetIndexesPriorityOperation({ indexNames: [], priority: "Low" })),
    ]);
    observe(
      "lock an index of the server's own",
      await outcome(() => new SetIndexesLockOperation("Auto/Orders/ByTotal", "Unlock")),
    );
    observe(
      "a locked one stays",
      await (async () => {
        await maintenance.send(new SetIndexesLockOperation("Orders/ByTotal", "LockedError"));
        class Other extends Orders_Failing {
          getIndexName() {
            return "Orders/ByTotal";
          }
        }
        return failure(() => new Other().execute(store), "Orders/ByTotal");
      })(),
    );
    observe("an index that is not there", await failure(() => ids(store, "No/Such")));
  },

  "another database": async ({ open, observe, server, fresh }) => {
    const other = await fresh();
    const store = open();
    await store.executeIndex(new Orders_ByTotal(), other.database);
    await store.executeIndexes([new Orders_Sums()], other.database);
    await new Names_All().execute(store, store.conventions, other.database);
    const names = (place: Server) =>
      store.maintenance.forDatabase(place.database).send(new GetIndexNamesOperation(0, 10));
    observe("there", await names(other));
    observe("not here", await names(server));
  },
});
