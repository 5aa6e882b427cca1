// Names inside RQL. A text that RQL reads as one name stays as it is; any other name is quoted, and inside quotes RQL reads only
// characters. (https://docs.ravendb.net/7.2/client-api/session/querying/what-is-rql)

/** Words that RQL does not read as a field, in any case. Found by asking RavenDB 7.2.7. */
const RESERVED =
  /^(as|select|where|load|group|order|include|filter|limit|offset|update|distinct|true|false|null|not|and|or)(?![^.[])/i;

/** `name`, `@metadata`, `lines[]`, `lines[0]`, or the app's own quotes around a name. */
const SEGMENT = String.raw`(?:'[^'\\]+'|@?[a-z_][\w-]*(?:\[\d*\])?)`;
const PLAIN = new RegExp(`^${SEGMENT}(?:\\.${SEGMENT})*$`, "i");

/** The id of a document in RQL. */
const ID = "id()";

/** The name that a query gives its documents where they need one. */
export const DOCUMENT = "doc";

export function quoted(name: string): string {
  return `'${name.replace(/['\\]/g, "\\$&")}'`;
}

/** The name of a field in results. */
export function alias(name: string): string {
  return PLAIN.test(name) && !RESERVED.test(name) ? name : quoted(name);
}

/** How a query names its fields. */
export class Names {
  /** The property that shows entities their ids: in RQL the id is no field. */
  identity = "id";
  /** Whether the query groups: groups have no id. */
  grouped = false;
  /**
   * Whether documents have a name, `DOCUMENT`: after `select`, RQL reads a quoted name alone as a text, and once documents have a
   * name, RQL expects it before every field.
   */
  qualified = false;

  /** A field as RQL names it. */
  name(field: string): string {
    if (field === ID || (!this.grouped && field === this.identity)) return ID;
    return this.qualified ? `${DOCUMENT}.${alias(field)}` : alias(field);
  }
}
