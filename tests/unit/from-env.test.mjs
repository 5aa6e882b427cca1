// The database of a Worker by the names of RavenDB's template: `DB_URLS`, `DB_NAME`, `DB_CERT`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromEnv } from "../../pkg/dist/gateway/options.js";

test("the first address, the name, and the certificate's fetch are a gateway's options", async () => {
  const DB_CERT = {
    name: "certificate",
    fetch(url) {
      return `${this.name} ${url}`;
    },
  };
  const made = fromEnv({ DB_URLS: " https://a.example , https://b.example", DB_NAME: "Shop", DB_CERT });
  assert.equal(made.database, "Shop");
  const { url, fetch } = made.upstream();
  assert.equal(url, "https://a.example");
  assert.equal(await fetch("https://a.example/x"), "certificate https://a.example/x");
  assert.deepEqual(fromEnv({ DB_URLS: "http://localhost:8080", DB_NAME: "Shop" }).upstream(), {
    url: "http://localhost:8080",
  });
});

test("a variable that is missing is named", () => {
  for (const [env, name] of [
    [{}, /DB_URLS/],
    [{ DB_URLS: " ," }, /DB_URLS/],
    [{ DB_URLS: "ravendb.example", DB_NAME: "Shop" }, /DB_URLS/],
    [{ DB_URLS: "https://a.example" }, /DB_NAME/],
  ])
    assert.throws(() => fromEnv(env), { name: "TypeError", message: name });
});
