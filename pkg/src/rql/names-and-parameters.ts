// Names and parameters in RQL.

/** Words that RQL does not read as a field, in any case. Found by asking RavenDB 7.2.7. */
const RESERVED =
  /^(as|select|where|load|group|order|include|filter|limit|offset|update|distinct|true|false|null|not|and|or)(?![^.[])/i;

/** `name`, `größe`, `@metadata`, or the app's own quotes around a name. RavenDB reads letters of any script, up to U+FFFF. */
const NAME = String.raw`(?:'[^'\\]+'|(?![^.[]*[\u{10000}-\u{10ffff}])@?[\p{L}_][\p{L}\d_-]*)`;
/** `[]`, `[0]`: the items of a list. */
const ITEMS = String.raw`(?:\[\d*\])*`;
const PLAIN = new RegExp(`^${NAME}${ITEMS}(?:\\.${NAME}${ITEMS})*$`, "u");
/** A step of a path: a name in quotes of the app, or all up to the next point; then items. */
const STEP = new RegExp(String.raw`(?:^|\.)('[^'\\]+'|[^.]*?)(${ITEMS})(?=\.|$)`, "g");
/** A path whose first name is quoted, and that goes on: RavenDB reads all of it as one name, unless that of documents is before it. */
const QUOTED_FIRST = /^'(?:[^'\\]|\\.)*'[.[]/s;

/** The id of a document in RQL. */
const ID = "id()";

export function quoted(name: string): string {
  return `'${name.replace(/['\\]/g, "\\$&")}'`;
}

/** The name of a field in results. */
export function alias(name: string): string {
  return PLAIN.test(name) && !RESERVED.test(name) ? name : quoted(name);
}

/** A path to a field. Each name is quoted on its own: RavenDB reads a whole path in quotes as the name of one field. */
function stepsOf(field: string): string {
  const name = alias(field);
  if (name === field) return field;
  const steps = Array.from(field.matchAll(STEP), ([, step = "", items]) => alias(step) + items);
  return steps.some((step) => step.startsWith("''")) ? name : steps.join(".");
}

/** A path to a field where RavenDB takes no name of documents. */
export function path(field: string): string {
  const text = stepsOf(field);
  return QUOTED_FIRST.test(text) ? alias(field) : text;
}

/** How a query names its fields. */
export class Names {
  /** The property that shows entities their ids: in RQL the id is no field. */
  identity = "id";
  /** Whether the query groups: groups have no id. */
  grouped = false;
  /** The name that a custom function of the app gives documents. */
  own = "";
  /** The name of documents, if it is before every field. */
  document = "";
  /** Whether a field needs it. Then RQL expects it before every field. */
  wantsDocument = false;

  /** A field as RQL names it. */
  name(field: string): string {
    return field === ID || (!this.grouped && field === this.identity) ? ID : this.path(field);
  }

  /** A field that cannot be the id, as RQL names it. */
  path(field: string): string {
    const text = stepsOf(field);
    if (this.document) return `${this.document}.${text}`;
    // Once documents have a name, RavenDB reads `lines` of `lines.product` as that of other documents.
    if ((this.own ? /[.[]/ : QUOTED_FIRST).test(text)) this.wantsDocument = true;
    return text;
  }

  /** A field that is selected: there RQL reads a quoted name alone as a text. */
  selected(field: string): string {
    const text = this.name(field);
    if (text.startsWith("'")) this.wantsDocument = true;
    return text;
  }
}

/** Values by their names, without `$`. */
export class Parameters extends Map<string, unknown> {
  /** Adds a value under the next free name; returns the name with its `$`. */
  add(value: unknown): string {
    let number = this.size;
    while (this.has(`p${number}`)) number += 1;
    this.set(`p${number}`, value);
    return `$p${number}`;
  }

  /** Written member by member: an object would move names that are numbers to the front. */
  get json(): string {
    const members = Array.from(this, (pair) => pair.map((part) => JSON.stringify(part)).join(":"));
    return `{${members.join(",")}}`;
  }
}
