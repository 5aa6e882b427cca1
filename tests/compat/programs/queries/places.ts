// Documentation "Make a Spatial Query": documents in a polygon.
import { type DocumentStore, WktField } from "client";
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
