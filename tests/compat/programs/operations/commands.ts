// Documentation "What are Operations", "What are Commands", "Statistics Operations".
import {
  DeleteDocumentCommand,
  GetCollectionStatisticsOperation,
  GetDetailedStatisticsOperation,
  GetDocumentsCommand,
  GetStatisticsOperation,
  PutDocumentCommand,
} from "client";
import type { Context } from "../context.js";

export async function statisticsOfTheDatabase({ store, print }: Context) {
  const statistics = await store.maintenance.send(new GetStatisticsOperation());
  print(statistics.countOfDocuments, statistics.countOfAttachments);
}

export async function statisticsOfCollections({ store, print }: Context) {
  const { countOfDocuments, collections } = await store.maintenance.send(
    new GetCollectionStatisticsOperation(),
  );
  print(countOfDocuments, collections);
}

export async function detailedStatistics({ store, print }: Context) {
  const statistics = await store.maintenance.send(new GetDetailedStatisticsOperation());
  print(statistics.countOfDocuments, statistics.countOfIdentities, statistics.countOfCompareExchange);
}

export async function operationsOfAnotherDatabase({ store, database, print }: Context) {
  const there = await store.maintenance.forDatabase(database).send(new GetStatisticsOperation());
  print(there.countOfDocuments);
}

export async function putADocument({ store, print }: Context) {
  const command = new PutDocumentCommand("categories/new", null, {
    Name: "Frozen",
    "@metadata": { "@collection": "Categories" },
  });
  await store.getRequestExecutor().execute(command);
  print(command.result.id, typeof command.result.changeVector);
  print(await store.openSession().advanced.exists("categories/new"));
}

export async function putExpectingNothing({ store, print }: Context) {
  const session = store.openSession();
  const command = new PutDocumentCommand("categories/1-A", "A:1-aaaaaaaaaaaaaaaaaaaaaa", { Name: "Stale" });
  try {
    await session.advanced.requestExecutor.execute(command);
  } catch (error) {
    print(error.name);
  }
}

export async function deleteADocument({ store, print }: Context) {
  await store.getRequestExecutor().execute(new DeleteDocumentCommand("categories/1-A", null));
  print(await store.openSession().load("categories/1-A"));
}

export async function getDocuments({ store, print }: Context) {
  const command = new GetDocumentsCommand({
    ids: ["orders/1-A", "orders/404-A"],
    includes: ["Company"],
    metadataOnly: false,
    conventions: store.conventions,
  });
  await store.getRequestExecutor().execute(command);
  const { results, includes } = command.result;
  print(results.length, results[0].Freight, results[1], Object.keys(includes));
}

export async function getMetadataOnly({ store, print }: Context) {
  const command = new GetDocumentsCommand({
    id: "orders/1-A",
    metadataOnly: true,
    conventions: store.conventions,
  });
  await store.getRequestExecutor().execute(command);
  print(Object.keys(command.result.results[0]));
}

export async function getAPageOfDocuments({ store, print }: Context) {
  const command = new GetDocumentsCommand({ start: 0, pageSize: 3, conventions: store.conventions });
  await store.getRequestExecutor().execute(command);
  print(command.result.results.length);
}
