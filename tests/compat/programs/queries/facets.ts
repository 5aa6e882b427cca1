// Documentation "Query by Facets": counting and aggregating by the values of a field, and by ranges.
import {
  AbstractJavaScriptIndexCreationTask,
  type DocumentStore,
  Facet,
  FacetOptions,
  FacetSetup,
  RangeFacet,
} from "client";
import type { Context } from "../context.js";
import type { Product } from "../northwind.js";

class Products_Facets extends AbstractJavaScriptIndexCreationTask<Product> {
  constructor() {
    super();
    this.map("Products", ({ Name, Category, PricePerUnit, UnitsInStock }) => ({
      Name,
      Category,
      PricePerUnit,
      UnitsInStock,
    }));
  }
}

async function indexed(store: DocumentStore) {
  await new Products_Facets().execute(store);
  return store.openSession().query<Product>({ indexName: "Products/Facets" }).waitForNonStaleResults();
}

export async function severalFacets({ store, print }: Context) {
  const options = new FacetOptions();
  options.termSortMode = "CountDesc";
  options.pageSize = 2;
  options.includeRemainingTerms = true;
  const query = (await indexed(store))
    .aggregateBy((facet) => facet.byField("Category").withOptions(options))
    .andAggregateBy((facet) => facet.allResults().minOn("PricePerUnit").maxOn("PricePerUnit"));
  const found = await query.execute();
  print(Object.keys(found), found.Category.values.map(({ range }) => range).sort());
  print(found.Category.remainingTerms.length, found.Category.remainingTermsCount);
  for (const { min, max } of found["@AllResults"].values) print(min, max);
}

export async function facetsAsObjects({ store, print }: Context) {
  const [category, prices] = [new Facet(), new RangeFacet()];
  category.fieldName = "Category";
  category.displayFieldName = "Categories";
  prices.ranges = ["PricePerUnit < 5", "PricePerUnit >= 5"];
  const found = await (await indexed(store)).aggregateBy(category).andAggregateBy(prices).execute();
  print(
    Object.keys(found),
    found.PricePerUnit.values.map(({ range, count }) => [range, count]),
  );
}

export async function facetsFromADocument({ store, print }: Context) {
  const setup = new FacetSetup();
  const category = new Facet();
  category.fieldName = "Category";
  const prices = new RangeFacet();
  prices.ranges = ["PricePerUnit < 5", "PricePerUnit >= 5"];
  setup.facets = [category];
  setup.rangeFacets = [prices];
  const session = store.openSession();
  await session.store(setup, "facets/products");
  await session.saveChanges();
  const found = await (await indexed(store)).aggregateUsing("facets/products").execute();
  print(
    Object.values(found).map(({ name, values }) => [name, values.map(({ range, count }) => [range, count])]),
  );
}
