// The two packages. Some defects of npm `ravendb` that docs/differences.md names are fixed here, so that programs can
// continue after them; the other ones no program triggers.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { CLIENTS } from "../build.mjs";

const root = dirname(CLIENTS.ravendb());
const from = (path) => import(pathToFileURL(join(root, path)).href);
const npm = await import(pathToFileURL(CLIENTS.ravendb()).href);
const edge = await import(pathToFileURL(CLIENTS.edge()).href);
const { JsonOperation } = await from("Mapping/JsonOperation.js");
const { EntityToJson } = await from("Documents/Session/EntityToJson.js");
const { LazyLoadOperation } = await from("Documents/Session/Operations/Lazy/LazyLoadOperation.js");

const NESTED = "@nested-object-types";
const TYPE = "Raven-Node-Type";

/** A document as text, with the app's metadata. */
function text({ id: _, "@metadata": metadata = {}, ...fields }) {
  const own = Object.entries(metadata).filter(
    ([key]) => key === "@expires" || key === "@archive-at" || /^\w+$/.test(key),
  );
  const sorted = (__, value) =>
    value?.constructor === Object ? Object.fromEntries(Object.entries(value).sort()) : value;
  return JSON.stringify([fields, Object.fromEntries(own)], sorted);
}

/** Any different value is a change, also in the metadata. */
const { entityChanged } = JsonOperation;
JsonOperation.entityChanged = (document, info, changes) => {
  if (changes || info.newDocument || !info.document) return entityChanged(document, info, changes);
  return info.metadataInstance?.isDirty() || text(document) !== text(info.document);
};

/** Type metadata, which each serialization of an entity recomputes, is not a change of the metadata, nor outdated. */
const { _writeMetadata, populateEntity } = EntityToJson;
EntityToJson._writeMetadata = (document, types, info) => {
  if (!info?.metadata || Object.keys(info.metadata).length === 0)
    return _writeMetadata(document, types, info);
  const { metadataInstance } = info;
  info.metadataInstance = undefined;
  const noted = info.newDocument || info.metadata[TYPE];
  _writeMetadata(document, types, info);
  info.metadataInstance = metadataInstance;
  document["@metadata"][NESTED] = types.nestedTypes;
  if (!noted) for (const metadata of [info.metadata, document["@metadata"]]) delete metadata[TYPE];
};

const clean = (entity, document) => {
  for (const key of Object.keys(entity)) if (!(key in document) && key !== "id") delete entity[key];
};

/** Patched entities keep their dates and classes. */
EntityToJson.populateEntity = (entity, document, mapper) => {
  clean(entity, document);
  const made = mapper.fromObjectLiteral(document, { nestedTypes: document["@metadata"]?.[NESTED] });
  populateEntity(entity, made, { fromObjectLiteral: () => made });
};

/** Any of the documents may be missing. */
const { handleResponseAsync } = LazyLoadOperation.prototype;
LazyLoadOperation.prototype.handleResponseAsync = function (response) {
  response.result ||= '{"Results":[],"Includes":{}}';
  return handleResponseAsync.call(this, response);
};

function mend(session) {
  const { _refreshInternal } = session;
  session._refreshInternal = function (entity, document, info) {
    if (document) clean(entity, document);
    _refreshInternal.call(this, entity, document, info);
    info.metadataInstance = undefined;
  };
}

/** Documents that are found or created after they were missing are not considered missing. */
async function save(session) {
  const isMissing = ({ id, entity }) => session.isDeleted(id) && !session.deletedEntities.contains(entity);
  const missing = [...session.documentsByEntity].map(({ value }) => value).filter(isMissing);
  const commands = [...session.deferredCommands];
  for (const { id } of missing) session.unregisterMissing(id);
  try {
    await session.saveChanges();
    for (const { id, type } of commands) if (type !== "DELETE") session.unregisterMissing(id);
  } finally {
    for (const { id } of missing) session.registerMissing(id);
  }
}

const client = (names) => ({
  store: (base, conventions) => {
    const store = new names.DocumentStore(base.url, base.database);
    Object.assign(store.conventions, conventions, { disableTopologyUpdates: true });
    return store;
  },
  put: (id, document) => new names.PutCommandDataBase(id, null, null, document),
  delete: (id) => new names.DeleteCommandData(id, null),
  /** Errors that both packages raise under different names. */
  refuses: ["refresh", "patch"],
});

export const ravendb = { ...client(npm), mend, save };
export const raven = { ...client(edge), save: (session) => session.saveChanges() };
