// Makes of a document that an older version of the app has kept what this version reads. The device keeps the text as the server has it: the
// document is rewritten each time it is read.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { JsonObject } from "../../common/json.js";
import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { OfflineOptions } from "../offline-types.js";

/** `kept`: the version of the app that has kept it. */
export type UpgradeKept = (document: ServerDocument, kept: number | undefined) => ServerDocument;

/** `undefined`: nothing is rewritten. */
export function upgradeKept({ version = 0, upgrade }: OfflineOptions): UpgradeKept | undefined {
  return (
    upgrade &&
    ((document, kept = 0) => {
      if (kept >= version) return document;
      // `upgrade` may write in it.
      const { "@id": id, "@change-vector": vector, "@last-modified": time } = document[META];
      let upgraded: unknown;
      try {
        upgraded = upgrade(document as ServerDocument & JsonObject, { id, version: kept });
      } catch (cause) {
        fail("InvalidOperation", `upgrade of ${id}, which version ${kept} of the app has kept: ${cause}`, {
          cause,
        });
      }
      if (!isObject(upgraded)) fail("InvalidOperation", `upgrade makes no document of ${id}`);
      // What names its version on the server.
      const own = { "@id": id, "@change-vector": vector, "@last-modified": time };
      return { ...upgraded, [META]: { ...Object(upgraded[META]), ...own } };
    })
  );
}
