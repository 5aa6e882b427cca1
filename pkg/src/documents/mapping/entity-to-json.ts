// `session.advanced.entityToJson`: the conversions of a session, which an app may call. It may replace `convertToEntity`.

import { isObject } from "../../common/arguments.js";
import { fail } from "../../common/error.js";
import type { EntityToJson } from "../../session/advanced-options.js";
import type { SessionState } from "../../session/session-state.js";
import type { Entity } from "../entity-types.js";
import { META } from "../snapshots/snapshot-values.js";

export function entityToJson({ mapper, conventions, noTracking }: SessionState): EntityToJson {
  // The function that the app replaces: its own one may call it.
  const make = mapper.entity.bind(mapper);
  // Frozen: assigning another member is an error, and not ignored.
  return Object.freeze<EntityToJson>({
    convertEntityToJson(entity: Entity) {
      const { document, metadata } = mapper.document(entity);
      const { [META]: shown } = entity;
      return shown ? { ...document, [META]: { ...shown, ...metadata } } : document;
    },
    get convertToEntity(): EntityToJson["convertToEntity"] {
      return (type, _id, document) => make(document as Entity, conventions.classOf(type));
    },
    set convertToEntity(convert) {
      mapper.entity = (document, type) => {
        const { [META]: metadata } = document;
        const entity = convert.call(this, type ?? null, metadata?.["@id"] ?? "", document, !noTracking);
        if (!isObject(entity)) fail("InvalidOperation", "convertToEntity returns an object");
        // A save would remove metadata that the entity does not show.
        if (!entity[META]) Reflect.set(entity, META, metadata);
        return entity;
      };
    },
  });
}
