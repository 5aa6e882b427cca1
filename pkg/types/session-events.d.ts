// What listeners of a session get.

export type {
  AfterConversionToDocumentEventArgs,
  AfterConversionToEntityEventArgs,
  BeforeConversionToDocumentEventArgs,
  BeforeConversionToEntityEventArgs,
  InMemoryDocumentSessionOperations,
  SessionAfterSaveChangesEventArgs,
  SessionBeforeDeleteEventArgs,
  SessionBeforeStoreEventArgs,
  SessionEvents,
} from "../dts/session/session-events.js";
