// Requests about documents, for the cases.
const json = { "Content-Type": "application/json" };

/** A PUT of one document; `more` is appended to the query. */
export const put = (id, body = "{}", headers = {}, more = "") => ({
  method: "PUT",
  path: `{D}/docs?id=${encodeURIComponent(id)}${more}`,
  headers,
  body,
});

export const get = (id) => ({ path: `{D}/docs?id=${encodeURIComponent(id)}` });

/** A PUT in a batch. */
export const P = (Id, more = {}) => ({ Type: "PUT", Id, ChangeVector: null, Document: { v: 1 }, ...more });

export const bulk = (...Commands) => ({
  method: "POST",
  path: "{D}/bulk_docs",
  headers: json,
  body: JSON.stringify({ Commands }),
});
