// Queries and patches by name, with a client that declares the names itself, against the real RavenDB.
import { deleteUnseen, fill, NAMES, PROGRAMS } from "../support/named-programs.mjs";
import { database, onRavenDb } from "../support/server.mjs";
import { open } from "../support/store.mjs";

/** What is wrong, by the error of a client that declares the names. */
const refusal = ({ code, message }) => {
  if (code !== "InvalidArgument") return code;
  return /^there is no named (query|patch)/.exec(message)?.[1].replace("query", "name") ?? "parameters";
};

for (const [name, program] of Object.entries(PROGRAMS)) {
  onRavenDb(`${name}, without a gateway`, async (t, server) => {
    const base = await database(t, server);
    await fill(server, base);
    const openAs = (user) =>
      open(t, server.url, base, { prepare: (store) => store.named(NAMES, { name: user }) });
    await program({
      open: openAs,
      sees: (numbers) => numbers,
      refusal,
      deleteUnseen: (numbers) => deleteUnseen(server, base, numbers),
    });
  });
}
