// What the server says of a database.

/** Members in the case of JavaScript, as npm `ravendb` gives them. */
function camel(value) {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name[0].toLowerCase() + name.slice(1), camel(inner)]),
  );
}

export class GetStatisticsOperation {
  getCommand() {
    return {
      request: { route: "stats" },
      settle({ text }) {
        this.result = camel(JSON.parse(text));
      },
    };
  }
}
