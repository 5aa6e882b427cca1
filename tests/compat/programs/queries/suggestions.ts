// Documentation "Query for Suggestions": terms that are similar to what was typed.
import { AbstractJavaScriptIndexCreationTask } from "client";
import type { Context } from "../context.js";
import type { Product } from "../northwind.js";

class Products_Names extends AbstractJavaScriptIndexCreationTask<Product> {
  constructor() {
    super();
    this.map("Products", ({ Name, Category }) => ({ Name, Category }));
    this.index("Name", "Search");
    this.suggestion("Name");
    this.suggestion("Category");
  }
}

export async function forSeveralTerms({ store, print }: Context) {
  await new Products_Names().execute(store);
  const session = store.openSession();
  await session.query<Product>({ indexName: "Products/Names" }).waitForNonStaleResults().all();
  const found = await session
    .query<Product>({ indexName: "Products/Names" })
    .suggestUsing((builder) =>
      builder
        .byField("Name", ["chese", "bred"])
        .withDisplayName("Names")
        .withOptions({ accuracy: 0.4, pageSize: 3, distance: "JaroWinkler", sortMode: "Popularity" }),
    )
    .execute();
  print(found.Names.suggestions.sort());
}
