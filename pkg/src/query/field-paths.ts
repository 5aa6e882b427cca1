// The names by which a query calls the fields of a class. Types alone.

/** A type without fields inside. */
type Leaf =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | Date
  | ((...args: never[]) => unknown);

/** The level below each level: types that contain themselves are followed down to 0. */
type Below = [never, 0, 1, 2, 3];

type Inside<Value, Key extends string, Depth extends number> = Value extends Leaf
  ? never
  : Value extends readonly (infer Item)[]
    ? Item extends Leaf
      ? `${Key}[]`
      : `${Key}[]` | `${Key}[].${Paths<Item, Depth>}`
    : `${Key}.${Paths<Value, Depth>}`;

type Paths<T, Depth extends number> = [Depth] extends [never]
  ? never
  : {
      [Key in keyof T & string]: T[Key] extends (...args: never[]) => unknown
        ? never
        : Key | Inside<NonNullable<T[Key]>, Key, Below[Depth]>;
    }[keyof T & string];

/**
 * The fields of documents of a type, as a query names them: `name`, `address.city`, `lines[].product`, down to four levels;
 * `id` or `id()` for the id, and `@metadata.…`. Any text if the type says nothing about its fields.
 *
 * ```ts
 * class Order { id?: string; total = 0; lines: { product: string }[] = []; }
 * session.query<Order>({ collection: "Orders" }).whereEquals("lines[].product", "products/7-A");
 * ```
 */
export type FieldOf<T> = 0 extends 1 & T
  ? string
  : object extends T
    ? string
    : string extends keyof T
      ? string
      : Paths<T, 3> | "id" | "id()" | `@metadata.${string}`;

/** What a query takes as a field: editors complete the known names, and any other text is one, too. */
export type FieldName<Known extends string> = Known | (string & {});
