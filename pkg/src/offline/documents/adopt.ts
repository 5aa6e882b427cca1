// Tracks a document that the app has, such as one of a set, in a session: without a request, and as a load would. Documents of sets show their
// ids, which are no part of what is stored.

import { isObject, isText } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import { idKey } from "../../common/id-key.js";
import type { Entity, ServerDocument } from "../../documents/entity-types.js";
import { META } from "../../documents/snapshots/snapshot-values.js";
import { type ConversionEvent, convert } from "../../loading/track-documents.js";
import { Session } from "../../session/session.js";
import type { SessionState } from "../../session/session-state.js";
import type { DocumentConventions } from "../../store/conventions.js";
import { got, inTransaction } from "../device/queue-database.js";
import { shown } from "../overlay.js";
import { pendingIn } from "../pending-documents.js";
import { documentEntry, isKept, THERE } from "./kept-records.js";

/** The member that shows a document its id, as in an entity of its class; `undefined`: none. */
export function identityOf(conventions: DocumentConventions, document: ServerDocument): string | undefined {
  const { identity } = conventions;
  if (typeof identity !== "function") return identity || undefined;
  const type = conventions.getJsType(document[META]["@id"], document) ?? conventions.typeOf(document);
  return conventions.getIdentityProperty(type) || undefined;
}

/** `scope`: server, database and user of the device's documents. Resolves with the entity. */
export async function adopt(scope: string, session: unknown, given: unknown): Promise<Entity> {
  const { [META]: metadata } = Object(given) as Partial<ServerDocument>;
  const { "@id": id, "@change-vector": vector } = Object(metadata) as Record<string, unknown>;
  if (!isObject(given) || !isText(id) || !isText(vector))
    fail("InvalidArgument", "adopt takes a document with the @id and @change-vector in its @metadata");
  const state = Session.stateOf(session as Session);
  if (state.noTracking) fail("InvalidOperation", "a session with noTracking tracks no documents");
  const [pending, kept] = await inTransaction(["changes", "texts", "kept"], "readonly", (stores) =>
    Promise.all([pendingIn(stores, scope, [id]), got<unknown>(stores.kept.get([scope, documentEntry(id)]))]),
  );
  const change = pending.get(idKey(id));
  const waits = change?.text === undefined ? undefined : { ...change, text: change.text };
  const isSame = isKept(kept) && kept.kind === THERE && kept.vector === vector;
  if (!waits && !isSame)
    fail(
      "InvalidOperation",
      `this device has no such version of ${id}: adopt the document as it is now, or load it`,
    );
  const document = waits ? shown(waits) : withoutId(state, structuredClone(given) as ServerDocument);
  if (!document) fail("InvalidOperation", `${id} is deleted by a change that waits on this device`);
  // Digits that JavaScript cannot hold, which the document has lost.
  const numbers = new Map(isSame && !waits && kept.inexact ? [[id, kept.inexact]] : []);
  const events: ConversionEvent[] = [];
  const maker = { entity: (one: ServerDocument) => convert(state, one, undefined, events) };
  const { entities } = state.unitOfWork.loaded([document], maker, undefined, numbers);
  for (const event of events) state.emit("afterConversionToEntity", event);
  return entities[0] ?? fail("InvalidOperation", `the session has deleted ${id}`);
}

function withoutId({ conventions }: SessionState, document: ServerDocument): ServerDocument {
  const identity = identityOf(conventions, document);
  if (identity) Reflect.deleteProperty(document, identity);
  return document;
}
