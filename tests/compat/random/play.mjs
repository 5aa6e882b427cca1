// Runs a program with one client, and records the observations step by step.
import { KINDS, MyPart, MyThing, make, show } from "./values.mjs";

const METADATA = { "@collection": "Things" };
/** Ids that the app has not chosen. */
const MADE = /^$|[/|]$|^(my)?\w+s\/\d/i;

/** `client`: see clients.mjs; `base`: direct requests to its own database. */
export async function play(client, base, program) {
  const store = client.store(base, {
    optimisticConcurrencyMode: program.mode,
    storeDatesInUtc: program.utc,
    findCollectionNameForObjectLiteral: () => METADATA["@collection"],
  });
  for (const type of [MyThing, MyPart]) store.conventions.registerEntityType(type, type.name);
  store.initialize();
  const events = [];
  const open = ({ options = {} }) => {
    const session = store.openSession(options);
    client.mend?.(session);
    for (const name of program.listens ? ["beforeStore", "beforeDelete", "afterSaveChanges"] : [])
      session.advanced.on(name, (event) => {
        events.push(`${name} ${event.documentId}`);
        if (program.stamps && name === "beforeStore") event.getEntity().stamped = true;
      });
    return {
      ...options,
      session,
      advanced: session.advanced,
      entities: [],
      deferred: new Set(),
      client,
      base,
    };
  };
  const places = [];
  const seen = [];
  for (const step of program.steps) {
    if (step.how === "open" || !places[step.at]) places[step.at] = open(step.how === "open" ? step : {});
    const place = places[step.at];
    let said;
    try {
      said = show(await STEPS[step.how]?.(place, step), place.entities);
    } catch ({ name }) {
      said = `throws ${client.refuses.includes(step.how) ? "" : name}`;
    }
    // Which listeners a refused save has called before does not matter.
    const told = said.startsWith("throws") ? "" : events.sort().join();
    events.length = 0;
    seen.push(`${step.how}: ${said}; ${place.advanced.numberOfRequests} requests; ${told}`);
  }
  await store.dispose();
  return { seen, left: await base.contents() };
}

/** Numbers entities in their order of appearance, and remembers what returned them. */
function found(place, all, single) {
  for (const one of single ? [all] : Object.values(all))
    if (one && !place.entities.includes(one)) place.entities.push(one);
  return all ?? null;
}

const isNew = ({ advanced }, entity) => advanced.whatChangedFor(entity)[0]?.change === "DocumentAdded";

/** Calls that need an entity, if the session has one, or an id. */
const withEntity = (act) => (place, step) => {
  const { entities } = place;
  const entity = entities[step.ref % entities.length];
  return entity === undefined && !step.id ? "nothing" : act(place, step, entity);
};

const STEPS = {
  async store(place, { fields, kind, id, shown }) {
    const entity = Object.assign(new KINDS[kind](), make(fields), shown && id && { id });
    await place.session.store(entity, shown ? undefined : id);
    found(place, [entity]);
    return entity.id;
  },
  load: async (place, { ids, kind }) =>
    found(place, await place.session.load(ids, KINDS[kind]), !Array.isArray(ids)),
  include: async (place, { ids, path }) =>
    place.noTracking || found(place, await place.session.include(path).load(ids), !Array.isArray(ids)),
  // npm `ravendb` lists documents that `load` would not return as missing.
  startingWith: async (place, { prefix, options }) =>
    found(place, (await place.advanced.loadStartingWith(prefix, options)).filter(Boolean)),
  change: withEntity((_, { ref, key, value, inner }, entity) => {
    const { "@metadata": __, ...rest } = entity;
    const isPart = (one) => Array.isArray(one) || one?.constructor === Object;
    const target = (inner && Object.values(rest).find(isPart)) || entity;
    if (Array.isArray(target)) {
      if (ref % 2 || value?.$gone) target.pop();
      else target.push(make(value));
    } else if (value?.$gone) delete target[key];
    else target[key] = make(value);
  }),
  remove: withEntity(async (place, { id }, entity) => {
    // npm `ravendb` deletes documents that were never saved nevertheless.
    if (place.noTracking || (!id && isNew(place, entity) && MADE.test(entity.id))) return;
    await place.session.delete(id ?? entity);
  }),
  async save(place) {
    if (place.noTracking) return;
    await place.client.save(place.session);
    place.deferred.clear();
    return place.entities.map((entity) => [entity, isNew(place, entity)]);
  },
  look: ({ advanced, entities }, { id }) => [
    ...[advanced.hasChanges(), advanced.isLoaded(id)],
    entities.map((entity) => [advanced.hasChanged(entity), advanced.getDocumentId(entity)]),
  ],
  patch: withEntity(({ advanced, deferred }, { id, by, value }, entity) => {
    // After another command there are known differences.
    if (deferred.has(id ?? entity.id)) return;
    if (by === "patchArray") advanced.patchArray(id ?? entity, "list", (list) => list.push(value));
    else if (by === "patchObject") advanced.patchObject(id ?? entity, "deep", (map) => map.set("k", value));
    else if (by === "increment") advanced.increment(id ?? entity, "rank", 2);
    else advanced.patch(id ?? entity, "patched", value);
  }),
  metadata: withEntity(({ advanced }, { key, value }, entity) => {
    const metadata = advanced.getMetadataFor(entity);
    if (metadata[key] !== value) metadata[key] = value;
    return [metadata["@collection"], metadata["@id"]];
  }),
  refresh: withEntity(async (place, _, entity) => {
    if (!isNew(place, entity)) await place.advanced.refresh(entity);
    return entity;
  }),
  clear({ advanced, entities, deferred }) {
    advanced.clear();
    entities.length = 0;
    deferred.clear();
  },
  async lazy(place, { many }) {
    const lazies = many.map((ids) => place.advanced.lazily.load(ids));
    await place.advanced.eagerly.executeAllPendingLazyOperations();
    return Promise.all(lazies.map(async (lazy) => found(place, await lazy.getValue())));
  },
  exists: ({ advanced }, { id }) => advanced.exists(id),
  other: ({ base }, { id, rank }) => base.write(id, rank && { rank, "@metadata": METADATA }),
  async query(place, { where: [by, ...args], order, skip, take, end }) {
    const query = place.session.query({ collection: "Things" }).waitForNonStaleResults();
    const all = await query[by](...args)
      [order]("rank", "Long")
      .orderBy("id")
      .skip(skip)
      .take(take)
      [end]();
    return typeof all === "object" ? found(place, all, end !== "all") : all;
  },
  defer({ advanced, deferred, client }, { id, put }) {
    deferred.add(id);
    advanced.defer(put ? client.put(id, { put: true, "@metadata": METADATA }) : client.delete(id));
  },
};
