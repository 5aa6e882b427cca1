// The reference, and the subjects that are compared with it.
import { randomBytes } from "node:crypto";
import { send } from "./send.mjs";

const env = (name) => process.env[name] || undefined;

export const reference = {
  name: "RavenDB 7.2",
  variable: "RAVENDB_URL",
  url: env("RAVENDB_URL"),
  admin: true,
};

/**
 * `older`: only leases, returns and server-generated ids are compared. `admin`: databases are created by a request; otherwise the first
 * use creates them. `without`: features that this subject lacks; cases that need them are skipped. `returnStatus`: the status of
 * `hilo/return`, if it is not 200.
 */
export const subjects = [
  { name: "authority", variable: "AUTHORITY_URL", url: env("AUTHORITY_URL"), admin: true, authority: true },
  {
    name: "authority in workerd",
    variable: "AUTHORITY_WORKERD_URL",
    url: env("AUTHORITY_WORKERD_URL"),
    authority: true,
    // Behind a prefix all routes are the authority's; databases exist on first use; workerd drops known headers such
    // as If-Match if they are empty.
    without: ["root", "admin", "empty headers"],
  },
  { name: "RavenDB 6.2", variable: "RAVENDB_62_URL", url: env("RAVENDB_62_URL"), admin: true, older: true },
  {
    name: "RavenDB 5.4",
    variable: "RAVENDB_54_URL",
    url: env("RAVENDB_54_URL"),
    admin: true,
    older: true,
    returnStatus: 204,
  },
];

// Each run uses other names of databases, so that runs do not share databases.
const run = randomBytes(6).toString("hex");
const shared = new Map();
const created = [];

/** A database of this subject: one for all cases, or one per case that sees all documents. */
export function database(subject, own) {
  const name = own === undefined ? `conf-${run}` : `conf-${run}-${own}`;
  const key = `${subject.variable} ${name}`;
  if (!shared.has(key)) shared.set(key, subject.admin ? create(subject, name) : Promise.resolve(name));
  return shared.get(key);
}

async function create(subject, name) {
  const response = await send(subject.url, {
    method: "PUT",
    path: `/admin/databases?name=${name}&replicationFactor=1`,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ DatabaseName: name }),
  });
  // Older servers run on the .NET version of 7.2. Creating a database returns an error there, because a later request of the server to
  // itself fails, but the database works.
  const usable =
    response.status === 201 ||
    (subject.older &&
      (await send(subject.url, { path: `/databases/${name}/configuration/client` })).status === 200);
  if (!usable)
    throw new Error(`${subject.name}: creating ${name} returned ${response.status} ${response.text}`);
  created.push({ subject, name });
  return name;
}

/** Deletes the databases that this run created. */
export async function cleanUp() {
  for (const { subject, name } of created) {
    await send(subject.url, {
      method: "DELETE",
      path: "/admin/databases",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        DatabaseNames: [name],
        HardDelete: true,
        TimeToWaitForConfirmation: "00:00:15",
      }),
    });
  }
}
