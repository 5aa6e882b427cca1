// What a call came to, as text that is the same in every run.

/** What differs from run to run, by the member that has it. */
const VARIES =
  /etag$|commandindex$|^index$|duration|size|lag$|rate$|base64$|countervalues|databaseid|^countof|(attempts|successes)$|^entriescount$|^timings$|^generate|^getnextid$|^operationid$|^subscription(id|name)$|^create(forrevisions)?$|taskid$|stale$|indexingtime$|queryingtime$|index-score$|^explanations$/i;

/**
 * Shows values. `data` lists the public members of each type of npm `ravendb`, by which its objects and ours are compared, whatever else
 * they have; of objects of `opaque` types only the name is shown.
 */
export function shower({ data, opaque }) {
  const hidden = new Set(opaque);

  function show(value, kind = "", member = "", above = new Set()) {
    if (kind === "void") return "done";
    if (VARIES.test(member) && value !== undefined) return "(varies)";
    if (typeof value === "string") return normal(JSON.stringify(value));
    if (typeof value === "function") return "a function";
    if (value === null || typeof value !== "object") return String(value);
    if (value instanceof Date) return `Date(${normal(JSON.stringify(value.toISOString()))})`;
    if (value instanceof Error) return `error ${value.name}`;
    if (ArrayBuffer.isView(value)) return `${value.length} bytes`;
    if (above.has(value)) return "(cycle)";
    const list = (values, of = kind) => [...values].map((each) => show(each, of, "", below)).join(", ");
    const below = new Set([...above, value]);
    if (Array.isArray(value)) return `[${list(value)}]`;
    if (value instanceof Set) return `Set[${list(value)}]`;
    if (value instanceof Map) return `Map${show(Object.fromEntries(value), kind, "", below)}`;
    if (hidden.has(kind)) return `(${kind})`;
    if (typeof value.getIndexQuery === "function") return rql(value);
    const name = kind in data ? kind : value.constructor?.name;
    if (hidden.has(name)) return "{}";
    const known = kind.startsWith("*") ? undefined : data[name];
    const members = Object.keys(known ?? value).filter((key) => known || !key.startsWith("_"));
    const of = (member) => known?.[member] ?? (kind.startsWith("*") ? kind.slice(1) : "");
    const texts = members
      .sort()
      .filter((member) => typeof value[member] !== "function" && member !== "@nested-object-types")
      .map((member) => [member, show(value[member], of(member), member, below)])
      .filter(([, text]) => (known ? !UNSET.has(text) : text !== "undefined"));
    return `{${texts.map(([member, text]) => `${normal(member)}: ${text}`).join(", ")}}`;
  }

  return show;
}

/** If no listener or builder led to the object of a call. */
export const NOT_CALLED = "(not called)";

/** Members that nothing has set are one of these, whichever. */
export const UNSET = new Set(["undefined", "null", "false", "0", '""', "{}"]);

/** What a query sends. */
function rql(query) {
  try {
    const { query: text, queryParameters } = query.getIndexQuery();
    return `${text} ${JSON.stringify(queryParameters)}`;
  } catch (error) {
    return `a query that throws ${error.name}`;
  }
}

const normal = (text) =>
  text
    .replace("?&", "?")
    .replaceAll("\\r\\n", "\\n")
    .replace(/TC:INC-[A-Za-z0-9+/]{22}/g, "<incremental>")
    .replace(/(?:[A-Z]+:\d+-[A-Za-z0-9+/]{22}(?:, )?)+/g, "<vector>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (time) =>
      time.startsWith("2026-01") ? time : "<time>",
    )
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<guid>")
    .replace(/names-[0-9a-f]{12}/g, "<database>");
