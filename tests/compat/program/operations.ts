// store.maintenance.send and store.operations.send.
import {
  CreateDatabaseOperation,
  DeleteDatabasesOperation,
  GetCollectionStatisticsOperation,
  GetDatabaseNamesOperation,
  GetDetailedCollectionStatisticsOperation,
  GetDetailedStatisticsOperation,
  GetEssentialStatisticsOperation,
  GetIdentitiesOperation,
  GetStatisticsOperation,
  NextIdentityForOperation,
  SeedIdentityForOperation,
} from "client";
import { area, failure, outcome } from "./harness.js";

export default area({
  identities: async ({ open, observe, fresh }) => {
    const server = await fresh();
    const { maintenance } = open(undefined, server);
    observe("none yet", await maintenance.send(new GetIdentitiesOperation()));
    observe("next", await maintenance.send(new NextIdentityForOperation("users")));
    observe("with its pipe", await maintenance.send(new NextIdentityForOperation("users|")));
    observe("in other letter case", await maintenance.send(new NextIdentityForOperation("USERS")));
    observe("seed", await maintenance.send(new SeedIdentityForOperation("users", 1000)));
    observe("next after it", await maintenance.send(new NextIdentityForOperation("users")));
    observe("a lower seed", await maintenance.send(new SeedIdentityForOperation("users", 10)));
    observe("forced", await maintenance.send(new SeedIdentityForOperation("users", 10, true)));
    observe("next after that", await maintenance.send(new NextIdentityForOperation("users")));
    await maintenance.send(new NextIdentityForOperation("Companies"));
    observe("all", await maintenance.send(new GetIdentitiesOperation()));
    observe("a blank name", await outcome(() => new NextIdentityForOperation(" ")));
    observe("seed a blank name", await outcome(() => new SeedIdentityForOperation("", 1)));
    const session = open(undefined, server).openSession();
    const user = { "@metadata": { "@collection": "Users" } } as { id?: string };
    await session.store(user, "users|");
    await session.saveChanges();
    observe("documents take from the same", user.id);
    const twice = new NextIdentityForOperation("twice");
    observe("one operation sent twice gives two", [
      await maintenance.send(twice),
      await maintenance.send(twice),
    ]);
  },

  statistics: async ({ open, observe, fresh }) => {
    const server = await fresh();
    const { maintenance } = open(undefined, server);
    const before = await maintenance.send(new GetStatisticsOperation());
    observe("documents", [before.countOfDocuments, before.countOfIndexes, before.countOfTombstones]);
    await server.put("s/1", { n: 1 }, "Ones");
    await server.put("s/2", { n: 2 }, "Ones");
    await server.delete("s/2");
    const after = await maintenance.send(new GetStatisticsOperation());
    observe("afterwards", [after.countOfDocuments, after.countOfTombstones]);
    observe("the last etag", typeof after.lastDocEtag);
    observe("is 64 bit", after.is64Bit);
    observe("the change vector", after.databaseChangeVector);
  },

  "statistics of collections": async ({ open, observe, fresh }) => {
    const server = await fresh();
    await server.put("s/1", { n: 1 }, "Ones");
    await server.put("s/2", { n: 2 }, "Ones");
    await server.put("s/3", { n: 3 }, "lowerCase");
    await server.put("s/4", { n: 4 }, "Many Words");
    const { maintenance } = open(undefined, server);
    observe("counted", await maintenance.send(new GetCollectionStatisticsOperation()));
    const { collections, ...rest } = await maintenance.send(new GetDetailedCollectionStatisticsOperation());
    observe("in detail", rest);
    observe(
      "each in detail",
      Object.entries(collections).map(([name, details]) => [name, details.name, details.countOfDocuments]),
    );
    observe("its members", Object.keys(collections.ones).sort());
    observe("a size", Object.keys(collections.ones.size).sort());
    const detailed = await maintenance.send(new GetDetailedStatisticsOperation());
    observe("detailed", Object.keys(detailed).sort());
    observe("some of it", [detailed.countOfDocuments, detailed.countOfIdentities, detailed.countOfIndexes]);
    observe("essential", await maintenance.send(new GetEssentialStatisticsOperation()));
  },

  databases: async ({ open, observe, fresh }) => {
    const { database, url } = await fresh();
    const store = open(undefined, { url, database });
    const { server } = store.maintenance;
    const databaseName = `${database}-two`;
    const created = await server.send(new CreateDatabaseOperation({ databaseName }));
    observe("created", Object.keys(created).sort());
    observe("its name", created.name === databaseName);
    observe(
      "twice",
      await failure(() => server.send(new CreateDatabaseOperation({ databaseName })), databaseName),
    );
    const session = store.openSession(databaseName);
    await session.store({ n: 1, "@metadata": { "@collection": "Ones" } }, "x/1");
    await session.saveChanges();
    observe("is used", (await store.openSession(databaseName).load("x/1")) !== null);
    const names = await server.send(new GetDatabaseNamesOperation(0, 10_000));
    observe("names", [names.includes(databaseName), names.includes(database)]);
    observe("one name", (await server.send(new GetDatabaseNamesOperation(0, 1))).length);
    const parameters = { databaseNames: [databaseName], hardDelete: true, timeToWaitForConfirmation: 60_000 };
    observe(
      "deleted",
      await server
        .send(new DeleteDatabasesOperation(parameters))
        .then(({ pendingDeletes }) => pendingDeletes),
    );
    observe("is gone", (await server.send(new GetDatabaseNamesOperation(0, 10_000))).includes(databaseName));
    observe("without a name", await outcome(() => server.send(new CreateDatabaseOperation({} as never))));
    observe("delete nothing", [
      await outcome(() => new DeleteDatabasesOperation({ databaseNames: [], hardDelete: true })),
      await outcome(() => new DeleteDatabasesOperation(undefined as never)),
    ]);
  },

  "another database": async ({ open, observe, server, fresh }) => {
    const other = await fresh();
    await other.put("x/1", {}, "Ones");
    const { maintenance } = open();
    const there = await maintenance.forDatabase(other.database).send(new GetStatisticsOperation());
    observe("maintenance.forDatabase", there.countOfDocuments);
    await server.put("x/mine", {}, "Ones");
    const session = open().openSession(other.database);
    await session.store({ n: 1, "@metadata": { "@collection": "Ones" } }, "x/2");
    await session.saveChanges();
    observe("a session of it", await other.ids());
    observe("not in this one", await server.document("x/2"));
    const option = open().openSession({ database: other.database });
    observe("by option", (await option.load("x/1")) !== null);
    const missing = await outcome(() =>
      maintenance.forDatabase("no such").send(new GetStatisticsOperation()),
    );
    observe("one that is not there", missing);
  },
});
