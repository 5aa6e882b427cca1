// Queries and patches by name through the gateway in workerd before the real RavenDB: the programs of `tests/server/named-programs`.
import { gateway } from "../support/gateway.mjs";
import { fill, NAMES, owner, PROGRAMS } from "../support/named-programs.mjs";
import { onRavenDb } from "../support/server.mjs";
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
    await program({ open: openAs, sees, refusal });
  });
}
