// Documentation "Server Operations: Create, Delete and List Databases".
import {
  CreateDatabaseOperation,
  DeleteDatabasesOperation,
  GetDatabaseNamesOperation,
  GetStatisticsOperation,
} from "client";
import type { Context } from "../context.js";

export async function createAndDelete({ store, database, print }: Context) {
  const name = `${database}-2`;
  await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: name }));
  print((await store.maintenance.forDatabase(name).send(new GetStatisticsOperation())).countOfDocuments);
  const session = store.openSession(name);
  await session.store({ Name: "over there" }, "things/1");
  await session.saveChanges();
  print(
    await store.openSession(name).advanced.exists("things/1"),
    await store.openSession().advanced.exists("things/1"),
  );
  await store.maintenance.server.send(
    new DeleteDatabasesOperation({
      databaseNames: [name],
      hardDelete: true,
      timeToWaitForConfirmation: 60_000,
    }),
  );
  const names = await store.maintenance.server.send(new GetDatabaseNamesOperation(0, 1_000));
  print(names.includes(name), names.includes(database));
}

export async function createWhatIsThere({ store, database, print }: Context) {
  try {
    await store.maintenance.server.send(new CreateDatabaseOperation({ databaseName: database }));
  } catch (error) {
    print(error.name);
  }
}
