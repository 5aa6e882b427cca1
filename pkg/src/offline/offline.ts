// `offline()`: the option of a store that keeps changes on the device.

import { type AllNames, checkNames, isObject, isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import type { Names } from "../named/named-definitions.js";
import type { StoreBase } from "../store/store.js";
import type { DocumentsOptions, MergeRule, OfflineOption, OfflineOptions } from "./offline-types.js";
import { DeviceQueue } from "./queue.js";
import type { QueueOfStore } from "./queue-of-store.js";

const OPTIONS = [
  "user",
  "merge",
  "version",
  "upgrade",
  "automatic",
  "documents",
  "sets",
  "patience",
] as const;

/**
 * Keeps changes on the device until the server has them.
 *
 * ```ts
 * const store = new DocumentStore("/raven", "Shop", { keep: Infinity, offline: offline({ user: "ann" }) }).initialize();
 * const change = await session.queueChanges();          // on this device, and safe
 * await change.saved;                                   // on the server
 * ```
 * With the type of the app's names, `offline<typeof names>(…)`, the declarations of sets are checked.
 * @throws {RavenEdgeError} `InvalidArgument` for an option that is unknown or cannot be meant.
 */
export function offline<Defined extends Names = Names>(options: OfflineOptions<Defined>): OfflineOption {
  checkNames("option of offline()", options, OPTIONS satisfies AllNames<OfflineOptions, typeof OPTIONS>);
  const {
    user,
    merge,
    version = 0,
    upgrade,
    documents,
    sets,
    patience = 0,
  } = isObject(options) ? options : ({} as Partial<OfflineOptions>);
  if (!isText(user) || user.length > 256)
    fail("InvalidArgument", "offline() needs a user: a text of at most 256 characters");
  if (merge !== undefined && !(isObject(merge) && Object.values(merge).every(isRule)))
    fail("InvalidArgument", 'merge has "lastWriter", "fields" or a function for each collection');
  if (!Number.isSafeInteger(version) || version < 0)
    fail("InvalidArgument", "the version of the app's documents is a whole number");
  if (upgrade !== undefined && typeof upgrade !== "function")
    fail("InvalidArgument", "upgrade is a function");
  if (!(typeof patience === "number" && patience >= 0))
    fail("InvalidArgument", "patience is a number of milliseconds");
  if (documents !== undefined) checkDocuments(documents);
  if (sets !== undefined) checkSets(sets, documents);
  const kept = { ...(options as OfflineOptions), ...(sets && { documents: documents ?? {} }) };
  return { attach: (store: StoreBase): QueueOfStore => new DeviceQueue(store, kept) };
}

function checkDocuments(documents: DocumentsOptions): void {
  if (!isObject(documents)) fail("InvalidArgument", "documents takes { maxBytes, collections }");
  checkNames("option of documents:", documents, ["maxBytes", "collections"]);
  const { maxBytes = 1, collections = [] } = documents as DocumentsOptions;
  if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0 && maxBytes < 2 ** 32))
    fail("InvalidArgument", "maxBytes is a whole number from 1 to 4,294,967,295");
  if (!(Array.isArray(collections) && collections.every(isText)))
    fail("InvalidArgument", "collections is a list of names");
}

function checkSets(sets: unknown, documents: DocumentsOptions | undefined): void {
  if (!isObject(sets))
    fail("InvalidArgument", "sets takes { name: { named, parameters } or { collection } }");
  // A session would be shown newer documents than the set.
  if (documents?.collections) fail("InvalidArgument", "documents.collections cannot be combined with sets");
  for (const [name, set] of Object.entries(sets)) {
    const given = isObject(set) ? set : fail("InvalidArgument", `sets.${name} is an object`);
    checkNames(`option of sets.${name}:`, given, ["named", "parameters", "collection", "live", "maxBytes"]);
    const { named, collection, parameters, live = false, maxBytes = 1 } = given;
    const areTexts = [named, collection].every((text) => text === undefined || isText(text));
    const hasParameters = parameters === undefined || (named !== undefined && isObject(parameters));
    if (name.includes("\n") || !areTexts || (named ?? collection) === undefined || !hasParameters)
      fail("InvalidArgument", `sets.${name} takes { named, parameters } or { collection }`);
    if (typeof live !== "boolean" || (live && collection === undefined))
      fail("InvalidArgument", `sets.${name}.live is true or false, and needs the collection`);
    if (!(Number.isSafeInteger(maxBytes) && (maxBytes as number) > 0))
      fail("InvalidArgument", `sets.${name}.maxBytes is a whole number of bytes`);
  }
}

const isRule = (rule: unknown): rule is MergeRule =>
  rule === "lastWriter" || rule === "fields" || typeof rule === "function";
