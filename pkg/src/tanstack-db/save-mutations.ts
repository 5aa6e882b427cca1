// Saves the mutations of a transaction in one session: one request, or one change in the queue.

import { fail, RavenEdgeError } from "../common/error.js";
import type { DocumentSession } from "../session/document-session-types.js";
import type { DocumentStore } from "../store/store-types.js";
import { type Binding, bindings } from "./binding.js";
import type { RowMutation } from "./collection-types.js";
import { peer } from "./peer.js";
import {
  type AnyRow,
  documentOf,
  ifNotKept,
  keptRows,
  keyOf,
  META,
  PLAIN,
  type Rows,
  rowOf,
  versionIn,
} from "./rows.js";

/** What is saved: a mutation and its rows. */
interface Saved {
  binding: Binding;
  type: RowMutation["type"];
  /** The row before, of updates and deletions. */
  original: AnyRow;
  modified: AnyRow;
  changes: Record<string, unknown>;
  /** The row as it was saved. */
  row?: AnyRow;
}

/** Resolves when all mutations are on the server, or on the device if the store has `offline()`, and their rows are written. */
export async function saveMutations(mutations: readonly RowMutation[]): Promise<void> {
  const all = mutations.map((mutation): Saved => {
    const binding =
      bindings.get(mutation.collection.utils) ??
      fail("InvalidArgument", "saveAll takes mutations of collections that ravenCollectionOptions has made");
    const { type, original, modified, changes } = mutation;
    return { binding, type, original, modified, changes } as object as Saved;
  });
  const [first] = all;
  if (!first) return;
  const { store } = first.binding;
  if (all.some(({ binding }) => binding.store !== store))
    fail("InvalidArgument", "a transaction saves documents of one store");
  if (store.offline) await queue(store, all);
  else await save(store, all);
  // Until this resolves, TanStack DB shows the rows of the mutations.
  const groups = new Set(all.map(({ binding }) => binding));
  await Promise.all(
    [...groups].map((each) =>
      show(
        each,
        all.filter(({ binding }) => binding === each),
      ),
    ),
  );
}

async function save(store: DocumentStore, all: readonly Saved[]): Promise<void> {
  const session = store.openSession();
  const documents = new Map<Saved, AnyRow | undefined>();
  for (const each of all) documents.set(each, await put(session, each));
  await session.saveChanges();
  for (const [each, document] of documents)
    if (document) each.row = rowOf({ ...document, [META]: { ...session.advanced.getMetadataFor(document) } });
}

async function queue(store: DocumentStore, all: readonly Saved[]): Promise<void> {
  const session = store.openSession({ offline: "only" });
  session.advanced.maxNumberOfRequestsPerSession = Number.MAX_SAFE_INTEGER;
  const known = all.filter(({ type }) => type !== "insert").map(({ modified }) => modified.id);
  // One that the device does not know fails a load of several.
  if (known.length > 1) await session.load(known, { documentType: PLAIN }).catch(ifNotKept({}));
  for (const each of all) {
    const { type, modified, changes } = each;
    // With what the device has, the change follows those that wait, and a conflict about it has a base.
    const entity = type === "insert" ? null : await loaded(session, modified.id);
    if (!entity) {
      await put(session, each);
      continue;
    }
    assertSeen(each, entity);
    if (type === "delete") await session.delete(entity);
    else change(entity, modified, Object.keys(changes));
  }
  const queued = await session.queueChanges();
  for (const { pending } of new Set(all.map(({ binding }) => binding))) pending.added(queued);
}

/** The document as the device has it; `null` if there is none, or the device does not know. */
const loaded = (session: DocumentSession, id: string): Promise<AnyRow | null> =>
  session.load<AnyRow>(id, { documentType: PLAIN }).catch(ifNotKept(null));

/** Writes the whole document, guarded by the version that the row has. */
async function put(
  session: DocumentSession,
  { binding, type, original, modified }: Saved,
): Promise<AnyRow | undefined> {
  const { id } = modified;
  const changeVector = type === "insert" ? "" : (versionIn(original) ?? null);
  if (type === "delete") {
    await session.delete(id, changeVector);
    return undefined;
  }
  const document = documentOf(modified, binding.collection);
  await session.store(document, id, { changeVector });
  return document;
}

/** Throws if the device has newer values of members that the user has changed. */
function assertSeen({ original, changes, type }: Saved, entity: AnyRow): void {
  if (versionIn(original) === versionIn(entity)) return;
  const { deepEquals } = peer();
  const names = Object.keys(type === "delete" ? { ...original, ...entity } : changes);
  const isSame = (name: string) => name === META || deepEquals(original[name], entity[name]);
  if (names.every(isSame)) return;
  throw Object.assign(
    new RavenEdgeError("Concurrency", `${original.id} has changed since its row was read`),
    {
      id: original.id,
    },
  );
}

function change(entity: AnyRow, modified: AnyRow, names: readonly string[]): void {
  const document = documentOf(modified, "");
  for (const name of names) {
    if (name === META) Object.assign(entity[META] as object, document[META]);
    else if (name !== "id") entity[name] = document[name];
  }
}

/** Writes the rows as they are now. */
async function show({ store, source }: Binding, saved: readonly Saved[]): Promise<void> {
  const written = (): Rows =>
    new Map(
      saved.map(({ type, modified, row = modified }) => [keyOf(modified), type === "delete" ? null : row]),
    );
  const read = async () => {
    if (!store.offline) return written();
    const ids = saved.map(({ modified }) => modified.id);
    // The mutations are on disk: they are shown even if they cannot be read again.
    const kept = await keptRows(store, ids).catch((): Rows => new Map());
    return new Map([...written(), ...kept]);
  };
  await source?.show(
    read,
    saved.map(({ modified }) => keyOf(modified)),
  );
}
