// Names inside RQL. What RQL reads as one name stays as it is; any other name is quoted, and in quotes RQL reads nothing but
// characters. (https://docs.ravendb.net/7.2/client-api/session/querying/what-is-rql)

/** What RQL reads as something else than a field, in any case. Found by asking RavenDB 7.2.7. */
const RESERVED =
  /^(as|select|where|load|group|order|include|filter|limit|offset|update|distinct|true|false|null|not|and|or)(?![^.[])/i;

/** `name`, `@metadata`, `lines[]`, `lines[0]`, or the app's own quotes around a name. */
const SEGMENT = String.raw`(?:'[^'\\]+'|@?[a-z_][\w-]*(?:\[\d*\])?)`;
const PLAIN = new RegExp(`^${SEGMENT}(?:\\.${SEGMENT})*$`, "i");

/** What stands for a document's id. */
const ID = "id()";

/** What a query calls its documents where it has to. */
export const DOCUMENT = "doc";

export function quoted(name) {
  return `'${name.replace(/['\\]/g, "\\$&")}'`;
}

/** What a result calls a field. */
export function alias(name) {
  return PLAIN.test(name) && !RESERVED.test(name) ? name : quoted(name);
}

/** How a query names its fields. */
export class Names {
  /** The property that shows entities their ids: in RQL the id is no field. */
  identity = "id";
  /** Groups have no id. */
  grouped = false;
  /**
   * Whether documents have a name, `DOCUMENT`: behind `select` a quoted name alone is a text, and once documents have a name RQL
   * expects it before every field.
   */
  qualified = false;

  /** A field as RQL names it. */
  name(field) {
    if (field === ID || (!this.grouped && field === this.identity)) return ID;
    return this.qualified ? `${DOCUMENT}.${alias(field)}` : alias(field);
  }
}
