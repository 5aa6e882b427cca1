// What an entity is, and what a session knows of it.

export type {
  DocumentType,
  EntitiesCollectionObject,
  EntityConstructor,
  EntityInfo,
  EntityType,
  IMetadataDictionary,
  ObjectLiteralDescriptor,
  ObjectTypeDescriptor,
  Tracked,
} from "../dts/documents/entity-types.js";
