// `conditionalLoad`: loads a document only if it is not as the app knows it.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import type { DocumentType, Entity, ObjectTypeDescriptor } from "../documents/entity-types.js";
import type { ConditionalLoadResult } from "../session/advanced-options.js";
import type { SessionState } from "../session/session-state.js";
import { query } from "../wire/query-string.js";
import { fetchAll } from "./multi-get.js";
import type { FetchedEntities, PartialRequest } from "./track-documents.js";

/** As the app gets it: without a document both members are `null`. */
type Result = Omit<ConditionalLoadResult<Entity>, "changeVector"> & { changeVector: string | null };

export class Conditional {
  /** One of several requests; `undefined` for a document that the session has. */
  request: PartialRequest | undefined;
  #state;
  #id;
  #changeVector;
  #type: ObjectTypeDescriptor | undefined;

  constructor(state: SessionState, id: string, changeVector: string, given?: DocumentType) {
    if (!isText(id)) fail("InvalidArgument", "conditionalLoad takes an id");
    if (!changeVector && !state.unitOfWork.knows(id))
      fail("InvalidArgument", `${id} is not loaded: conditionalLoad takes the change vector that you know`);
    const type = state.conventions.classOf(given);
    this.#state = state;
    this.#id = id;
    this.#changeVector = changeVector;
    this.#type = type;
    if (state.unitOfWork.knows(id)) return;
    const headers = { "If-None-Match": `"${changeVector}"` };
    this.request = { query: query([["id", id]]), headers, reading: { type } };
  }

  /** The entity, if there is a newer one, and its change vector. */
  result(found?: FetchedEntities): Result {
    const state = this.#state;
    if (found?.rest.isKnown) return { entity: null, changeVector: this.#changeVector };
    if (state.noTracking) {
      const entity = (found as FetchedEntities).entities[0] ?? null;
      return { entity, changeVector: entity?.["@metadata"]?.["@change-vector"] ?? null };
    }
    if (found) state.unitOfWork.loadedWithout([idKey(this.#id)]);
    const entity = state.find(this.#id, this.#type);
    return {
      entity,
      changeVector: state.unitOfWork.versions.vector(state.unitOfWork.slotOf(entity)) ?? null,
    };
  }
}

/** The same without waiting for other requests. */
export async function conditionalLoad(
  state: SessionState,
  id: string,
  changeVector: string,
  type?: DocumentType,
): Promise<Result> {
  const load = new Conditional(state, id, changeVector, type);
  const [found] = load.request ? await fetchAll(state, [load.request]) : [];
  if (found?.error) throw found.error;
  return load.result(found as FetchedEntities | undefined);
}
