// Operations on indexes: put, read, reset, delete, modes, errors.
import {
  DeleteIndexOperation,
  DisableIndexOperation,
  EnableIndexOperation,
  GetIndexesOperation,
  GetIndexesStatisticsOperation,
  GetIndexingStatusOperation,
  GetIndexNamesOperation,
  GetIndexOperation,
  GetIndexStatisticsOperation,
  GetTermsOperation,
  IndexDefinition,
  IndexHasChangedOperation,
  PutIndexesOperation,
  ResetIndexOperation,
  SetIndexesLockOperation,
  SetIndexesPriorityOperation,
  StartIndexingOperation,
  StartIndexOperation,
  StopIndexingOperation,
  StopIndexOperation,
} from "client";
import { area, fails, failure, outcome, until } from "./harness.js";
import { fill, ids, NONE, Orders_ByTotal, Orders_Sums, shown } from "./index-classes.js";

export default area({
  operations: async ({ open, observe, better, fresh }) => {
    const server = await fresh();
    await fill(server);
    const store = open(undefined, server);
    const { maintenance } = store;
    const put = await maintenance.send(
      new PutIndexesOperation(
        new Orders_ByTotal().createIndexDefinition(),
        new Orders_Sums().createIndexDefinition(),
      ),
    );
    observe(
      "put",
      put.map((result) => [Object.keys(result), result.index]),
    );
    observe("names", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    observe("the second name", await maintenance.send(new GetIndexNamesOperation(1, 1)));
    better(
      "all names",
      await outcome(() =>
        maintenance.send(new (GetIndexNamesOperation as unknown as new () => GetIndexNamesOperation)()),
      ),
      { ravendb: fails("RavenException"), edge: ["Orders/ByTotal", "Orders/Sums"] },
    );
    observe("one", shown(await maintenance.send(new GetIndexOperation("Orders/ByTotal"))));
    observe(
      "its class",
      (await maintenance.send(new GetIndexOperation("Orders/ByTotal"))) instanceof IndexDefinition,
    );
    observe("none", await maintenance.send(new GetIndexOperation("No/Such")));
    observe("all", (await maintenance.send(new GetIndexesOperation(0, 10))).map(shown));
    await ids(store, "Orders/ByTotal");
    // The query waits for the batch; its statistics are stored a moment later.
    const statistics = () => maintenance.send(new GetIndexStatisticsOperation("Orders/ByTotal"));
    await until(async () => (await statistics()).mapAttempts);
    const { collections, ...stats } = await statistics();
    observe("statistics", Object.keys(stats).sort());
    observe("some of them", [
      stats.name,
      stats.type,
      stats.entriesCount,
      stats.errorsCount,
      stats.state,
      stats.status,
      stats.mapAttempts,
      stats.mapSuccesses,
    ]);
    better(
      "collections",
      [...collections].map(([name, { documentLag } = {} as never]) => [name, documentLag]),
      {
        ravendb: [["orders", undefined]],
        edge: [["Orders", 0]],
      },
    );
    observe(
      "statistics of none",
      await failure(() => maintenance.send(new GetIndexStatisticsOperation("No/Such"))),
    );
    observe(
      "statistics of all",
      (await maintenance.send(new GetIndexesStatisticsOperation())).map(({ name }) => name),
    );
    const definition = new Orders_ByTotal().createIndexDefinition();
    observe("changed: no", await maintenance.send(new IndexHasChangedOperation(definition)));
    definition.fields = { total: { storage: "Yes" } };
    observe("changed: yes", await maintenance.send(new IndexHasChangedOperation(definition)));
    observe("terms", await maintenance.send(new GetTermsOperation("Orders/ByTotal", "customer", NONE, 10)));
    observe(
      "terms from",
      await maintenance.send(new GetTermsOperation("Orders/ByTotal", "customer", "ada", 10)),
    );

    const status = async () => {
      const { status, indexes } = await maintenance.send(new GetIndexingStatusOperation());
      return [status, indexes.map(({ name, status }) => `${name} ${status}`).sort()];
    };
    observe("indexing", await status());
    observe("stop", await maintenance.send(new StopIndexOperation("Orders/ByTotal")));
    observe("stopped", await status());
    observe("start", await maintenance.send(new StartIndexOperation("Orders/ByTotal")));
    observe("started", await status());
    observe("stop all", await maintenance.send(new StopIndexingOperation()));
    observe("all stopped", await status());
    observe("start all", await maintenance.send(new StartIndexingOperation()));
    observe("all started", await status());
    const state = async (name: string) => {
      const found = await maintenance.send(new GetIndexStatisticsOperation(name));
      return [found.state, found.lockMode, found.priority];
    };
    observe("disable", await maintenance.send(new DisableIndexOperation("Orders/ByTotal")));
    observe("disabled", await state("Orders/ByTotal"));
    observe("enable", await maintenance.send(new EnableIndexOperation("Orders/ByTotal", true)));
    observe("lock", await maintenance.send(new SetIndexesLockOperation("Orders/ByTotal", "LockedError")));
    observe("priority", await maintenance.send(new SetIndexesPriorityOperation("Orders/ByTotal", "Low")));
    observe("one of each", await state("Orders/ByTotal"));
    const indexNames = ["Orders/ByTotal", "Orders/Sums"];
    await maintenance.send(new SetIndexesLockOperation({ indexNames, mode: "Unlock" }));
    await maintenance.send(new SetIndexesPriorityOperation({ indexNames, priority: "High" }));
    observe("of several", [await state("Orders/ByTotal"), await state("Orders/Sums")]);

    const before = (await maintenance.send(new GetIndexStatisticsOperation("Orders/Sums"))).createdTimestamp;
    observe("reset", await maintenance.send(new ResetIndexOperation("Orders/Sums")));
    const after = (await maintenance.send(new GetIndexStatisticsOperation("Orders/Sums"))).createdTimestamp;
    observe("is a new one", before !== after);
    observe("delete", await maintenance.send(new DeleteIndexOperation("Orders/Sums")));
    observe("delete what is not there", await maintenance.send(new DeleteIndexOperation("Orders/Sums")));
    observe("left", await maintenance.send(new GetIndexNamesOperation(0, 10)));
    for (const [name, operation] of Object.entries({
      start: new StartIndexOperation("No/Such"),
      stop: new StopIndexOperation("No/Such"),
      reset: new ResetIndexOperation("No/Such"),
      lock: new SetIndexesLockOperation("No/Such", "Unlock"),
      priority: new SetIndexesPriorityOperation("No/Such", "Low"),
      terms: new GetTermsOperation("No/Such", "x", NONE, 1),
    }))
      observe(
        `${name} what is not there`,
        await failure(() => maintenance.send<unknown>(operation), "No/Such"),
      );
  },
});
