// What has changed in a session.

/** What kind of change it is. */
export type ChangeType =
  | "DocumentAdded"
  | "DocumentDeleted"
  | "FieldChanged"
  | "NewField"
  | "RemovedField"
  | "ArrayValueChanged"
  | "ArrayValueAdded"
  | "ArrayValueRemoved";

/** A change of a document. Of `DocumentAdded` and `DocumentDeleted` nothing but {@link change} means anything. */
export interface DocumentsChanges {
  readonly change: ChangeType;
  /** The field's name; of a change in a list, that of the list. */
  readonly fieldName: string;
  /** Where the field is: `""` at the top, `deep.a`, `lines[0]`. */
  readonly fieldPath: string;
  /** Path and name. */
  readonly fieldFullName: string;
  /** `null` for what is removed. */
  readonly fieldNewValue: unknown;
  /** `null` for what is new. */
  readonly fieldOldValue: unknown;
}
