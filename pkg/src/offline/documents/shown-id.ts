// The id in a document that is given to the app as plain JSON.

import type { ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import type { DocumentConventions } from "../../store/conventions.js";

/** The member that shows a document its id, as in an entity of its class; `undefined`: none. */
export function identityOf(conventions: DocumentConventions, document: ServerDocument): string | undefined {
  const { identity } = conventions;
  if (typeof identity !== "function") return identity || undefined;
  const type = conventions.getJsType(document[META]["@id"], document) ?? conventions.typeOf(document);
  return conventions.getIdentityProperty(type) || undefined;
}
