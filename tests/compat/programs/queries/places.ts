// Documentation "Make a Spatial Query": dynamic fields, fields of an index, ordering by distance.
import { AbstractJavaScriptIndexCreationTask, type DocumentStore, PointField, WktField } from "client";
import type { Context } from "../context.js";

class House {
  id?: string;
  name = "";
  latitude = 0;
  longitude = 0;
  area = "";

  constructor(name = "", latitude = 0, longitude = 0) {
    Object.assign(this, { name, latitude, longitude, area: `POINT (${longitude} ${latitude})` });
  }
}

class Houses_Places extends AbstractJavaScriptIndexCreationTask<House> {
  constructor() {
    super();
    const { createSpatialField } = this.mapUtils();
    this.map("Houses", ({ name, latitude, longitude }) => ({
      name,
      place: createSpatialField(latitude, longitude),
    }));
    this.spatial("place" as keyof House, (factory) => factory.geography().defaultOptions());
  }
}

async function houses(store: DocumentStore) {
  const session = store.openSession();
  for (const [name, latitude, longitude] of [
    ["Near", 47.62, -122.33],
    ["Middle", 47.7, -122.2],
    ["Far", 51.5, -0.12],
  ] as const)
    await session.store(new House(name, latitude, longitude), `houses/${name}`);
  await session.saveChanges();
}

const names = (found: House[]) => found.map(({ name }) => name);

export async function inACircle({ store, print }: Context) {
  await houses(store);
  const found = await store
    .openSession()
    .query(House)
    .waitForNonStaleResults()
    .spatial(new PointField("latitude", "longitude"), (criteria) =>
      criteria.withinRadius(20, 47.623473, -122.306009),
    )
    .all();
  print(
    names(found).sort(),
    found.every((house) => house instanceof House),
  );
}

export async function inAPolygon({ store, print }: Context) {
  await houses(store);
  const query = store
    .openSession()
    .query(House)
    .waitForNonStaleResults()
    .spatial(new WktField("area"), (criteria) =>
      criteria.relatesToShape("POLYGON ((-123 47, -122 47, -122 48, -123 48, -123 47))", "Within"),
    );
  print(names(await query.all()).sort(), query.toString());
}

export async function nearestFirst({ store, print }: Context) {
  await houses(store);
  const point = new PointField("latitude", "longitude");
  const all = () =>
    store
      .openSession()
      .query(House)
      .waitForNonStaleResults()
      .spatial(point, (criteria) => criteria.withinRadius(30_000, 47.6, -122.33));
  print(names(await all().orderByDistance(point, 47.6, -122.33).all()));
  print(names(await all().orderByDistanceDescending(point, 47.6, -122.33).all()));
  print(names(await all().orderByDistance(point.roundTo(1_000), 47.6, -122.33).orderBy("name").all()));
}

export async function withAnIndex({ store, print }: Context) {
  await houses(store);
  await new Houses_Places().execute(store);
  const all = () => store.openSession().query<House>({ indexName: "Houses/Places" }).waitForNonStaleResults();
  const around = all().withinRadiusOf("place" as keyof House, 15, 47.6, -122.33, "Miles");
  print(names(await around.orderByDistance("place" as keyof House, 47.6, -122.33).all()));
  const outside = all().relatesToShape(
    "place" as keyof House,
    "POLYGON ((-123 47, -122 47, -122 48, -123 48, -123 47))",
    "Disjoint",
  );
  print(names(await outside.all()));
}
