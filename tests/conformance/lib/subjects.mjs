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

/** `older`: compared only in leases, returns and the ids that servers make. `admin`: databases are created there, else on first use.
 *  `without`: features that cases need and this subject lacks. `returnStatus`: what hilo/return answers there instead of 200. */
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

// Names differ per run and subject, so that runs do not meet each other's databases.
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
  const answer = await send(subject.url, {
    method: "PUT",
    path: `/admin/databases?name=${name}&replicationFactor=1`,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ DatabaseName: name }),
  });
  // Older servers on the .NET of 7.2 fail to call themselves over HTTP after they have created a database; otherwise
  // they work.
  const usable =
    answer.status === 201 ||
    (subject.older &&
      (await send(subject.url, { path: `/databases/${name}/configuration/client` })).status === 200);
  if (!usable) throw new Error(`${subject.name}: creating ${name} returned ${answer.status} ${answer.text}`);
  created.push({ subject, name });
  return name;
}

/** Deletes what this run created. */
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
