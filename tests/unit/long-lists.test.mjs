// Lists that are longer than a function takes arguments: about 120,000 in V8. `cargo xtask lint` refuses `push(...list)`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seenInResponse } from "../../pkg/dist/offline/documents/seen-documents.js";
import { open } from "../support/store.mjs";

const COUNT = 150_000;
const Results = Array.from({ length: COUNT }, (_, at) => ({
  "@metadata": { "@id": `notes/${at}`, "@change-vector": "A:1-x", "@collection": "Notes" },
}));
const answer = {
  Results,
  Includes: {},
  TotalResults: COUNT,
  SkippedResults: 0,
  IsStale: false,
  IndexName: "x",
};
const text = JSON.stringify(answer);

test("a page of a named query has any number of results", async (t) => {
  const store = open(t, "http://127.0.0.1:8", "Shop", {
    prepare: (store) => store.named({ queries: { all: { query: "from Notes" } } }),
    fetch: async () => new Response(text),
  });
  const query = store.openSession({ noTracking: true }).query({ named: "all" });
  assert.equal((await query.all()).length, COUNT);
});

test("a response with any number of documents is kept on the device", () => {
  const asked = [{ name: "all", isQuery: true }];
  const response = { text, numbers: new Map() };
  assert.equal(seenInResponse(asked, "queries", response, undefined).documents.length, COUNT);
});
