// Queries and patches by name through the gateway in workerd before the real RavenDB: the programs of `tests/server/named-programs`.
import assert from "node:assert/strict";
import { gateway } from "../support/gateway.mjs";
import { deleteUnseen, fill, NAMES, owner, PROGRAMS } from "../support/named-programs.mjs";
import { proxy } from "../support/proxy.mjs";
import { onRavenDb, send } from "../support/server.mjs";
import { open } from "../support/store.mjs";

const OPTIONS = {
  ...NAMES,
  collections: { Notes: { allow: "write", rows: { owner: "$name" } }, Products: "read" },
};

/** The caller is the one that the header names. */
const AUTHORIZE = 'authorize: (request) => ({ name: request.headers.get("x-user") })';

/** What is wrong, by the error of a client behind a gateway. */
const refusal = ({ code, type }) => {
  const kinds = { RouteRefused: "name", RequestMalformed: "parameters", DocumentRefused: "patch" };
  return kinds[/^RavenEdge\.Gateway\.(\w+)$/.exec(type)?.[1]] ?? code;
};

for (const [name, program] of Object.entries(PROGRAMS)) {
  onRavenDb(`${name}, through the gateway`, async (t, server) => {
    const { url, base } = await gateway(t, { server, options: OPTIONS, functions: AUTHORIZE });
    await fill(server, base);
    const openAs = (user) => open(t, url, base, { headers: () => ({ "x-user": user }) });
    const sees = (numbers, name = "ann") => numbers.filter((at) => owner(at) === name);
    await program({
      open: openAs,
      sees,
      refusal,
      deleteUnseen: (numbers) => deleteUnseen(server, base, numbers),
    });
  });
}

onRavenDb(
  "a page that has not changed is not transferred again, and never to another caller",
  async (t, server) => {
    const { url, base } = await gateway(t, { server, options: OPTIONS, functions: AUTHORIZE });
    await fill(server, base);
    const wire = await proxy(t, url);
    let user = "ann";
    const store = open(t, wire.url, base, { headers: () => ({ "x-user": user }) });
    const numbers = async (prepare = (query) => query) => {
      const query = store
        .openSession()
        .query({ named: "mine", parameters: { from: 12 } })
        .take(5);
      return (await prepare(query).all()).map(({ at }) => at);
    };
    const statuses = () => wire.requests.splice(0).map(({ status }) => status);
    const ann = [12, 15, 18, 21];
    assert.deepEqual([await numbers(), await numbers()], [ann, ann]);
    assert.deepEqual(statuses(), [200, 304]);
    assert.deepEqual(await numbers((query) => query.noCaching()), ann);
    assert.deepEqual(statuses(), [200]);
    user = "bob";
    assert.deepEqual(await numbers(), [13, 14, 16, 17, 19]);
    user = "ann";
    assert.deepEqual(await numbers(), ann);
    assert.deepEqual(statuses(), [200, 200]);
    const Commands = [{ Type: "DELETE", Id: "notes/15", ChangeVector: null }];
    await send(server.url, "POST", `/databases/${base}/bulk_docs`, { Commands });
    const QueryParameters = { name: "ann", from: 12 };
    const body = { Query: NAMES.queries.mine.query, QueryParameters, WaitForNonStaleResults: true };
    await send(server.url, "POST", `/databases/${base}/queries`, body);
    assert.deepEqual(await numbers(), [12, 18, 21]);
    assert.deepEqual(statuses(), [200]);
  },
);
