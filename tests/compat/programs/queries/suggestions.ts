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

export async function forOneTerm({ store, print }: Context) {
  const found = await store
    .openSession()
    .query<Product>({ collection: "Products" })
    .suggestUsing((builder) => builder.byField("Name", "gren tea"))
    .execute();
  print(found.Name.name, found.Name.suggestions);
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

export async function forSeveralFields({ store, print }: Context) {
  await new Products_Names().execute(store);
  const session = store.openSession();
  await session.query<Product>({ indexName: "Products/Names" }).waitForNonStaleResults().all();
  const pending = session
    .query<Product>({ indexName: "Products/Names" })
    .suggestUsing((builder) => builder.byField("Name", "chese"))
    .andSuggestUsing((builder) => builder.byField("Category", "categories/9-A"))
    .executeLazy();
  const found = await pending.getValue();
  print(Object.keys(found).sort(), found.Name.suggestions);
}
