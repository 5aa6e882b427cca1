// The entries of a set's documents on the device, and what the core says of them.

import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { CoreSetRun } from "../device/queue-core.js";
import { got, type Stores } from "../device/queue-database.js";
import { isKept, type KeptRecord, vectorWords } from "../documents/kept-records.js";
import { setKey } from "./set-records.js";

/** Whether the document of an entry belongs to a set. */
export const isOf = (record: KeptRecord | undefined, scope: string, name: string): boolean =>
  record?.sets?.includes(setKey(scope, name)) === true;

export const collectionOf = (text: string): unknown =>
  (JSON.parse(text) as ServerDocument)[META]["@collection"];

/** The entries of a set's documents. */
export const membersOf = (stores: Stores, scope: string, name: string): Promise<KeptRecord[]> =>
  got(stores.kept.index("sets").getAll(setKey(scope, name)));

export async function entryOf({ kept }: Stores, scope: string, key: string): Promise<KeptRecord | undefined> {
  const found = await got<unknown>(kept.get([scope, `d${key}`]));
  return isKept(found) ? found : undefined;
}

/** What a comparison says of a document: one of `PLAN_…`. */
export function planned(run: CoreSetRun, listed: string | undefined, record: KeptRecord | undefined): number {
  const [first, second] = vectorWords(listed ?? "", record?.vector ?? "") as [number[], number[]];
  const bits = Number(listed !== undefined);
  return run.compare(Uint32Array.from([bits, record?.kind ?? 0, first.length / 3, ...first, ...second]));
}
