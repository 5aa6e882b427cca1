// Documentation "Query for Documents with MoreLikeThis".
import { AbstractJavaScriptIndexCreationTask, type DocumentStore, MoreLikeThisStopWords } from "client";
import type { Context } from "../context.js";
import type { Employee } from "../northwind.js";

class Employees_Alike extends AbstractJavaScriptIndexCreationTask<Employee> {
  constructor() {
    super();
    this.map("Employees", ({ Notes, Title }) => ({ Notes, Title }));
    this.index("Notes", "Search");
    this.store("Notes", "Yes");
    this.index("Title", "Search");
    this.store("Title", "Yes");
    this.searchEngineType = "Lucene";
  }
}

const LOOSE = { minimumTermFrequency: 1, minimumDocumentFrequency: 1 };

async function indexed(store: DocumentStore) {
  await new Employees_Alike().execute(store);
  return store.openSession().query<Employee>({ indexName: "Employees/Alike" }).waitForNonStaleResults();
}

const names = (found: Employee[]) => found.map(({ FirstName }) => FirstName).sort();

export async function withoutSomeWords({ store, print }: Context) {
  const words = new MoreLikeThisStopWords();
  words.stopWords = ["french"];
  const session = store.openSession();
  await session.store(words, "config/stop-words");
  await session.saveChanges();
  const found = await (await indexed(store))
    .moreLikeThis((similar) =>
      similar
        .usingDocument((query) => query.whereEquals("id()", "employees/1-A"))
        .withOptions({ ...LOOSE, fields: ["Notes"], stopWordsDocumentId: "config/stop-words" }),
    )
    .all();
  print(names(found));
}
