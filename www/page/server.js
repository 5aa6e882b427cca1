// What the page reads from the server to show it: plain requests, no part of the package.

const DATABASE = "/raven/databases/Shop";
const SHOWN = 64;

async function get(path) {
  const response = await fetch(path, { cache: "no-store" }).catch((cause) => {
    throw Object.assign(new Error("the page's own Worker cannot be reached", { cause }), {
      code: "Unreachable",
    });
  });
  if (response.ok) return response.json();
  const body = await response.json().catch(() => ({}));
  throw Object.assign(new Error(body.Message ?? `the server answered with status ${response.status}`), {
    status: response.status,
  });
}

/** The highest number that the server has leased out, 0 before the first lease. */
export async function readMax() {
  const counter = "id=Raven%2FHilo%2Forders";
  // Asked for twice: one missing document alone is a 404, which browsers report as an error.
  const { Results } = await get(`${DATABASE}/docs?${counter}&${counter}`);
  return Results[0]?.Max ?? 0;
}

/** The orders written last. A listing without a prefix is the one that RavenDB sorts by time. */
export async function readOrders() {
  const { Results } = await get(`${DATABASE}/docs?pageSize=${SHOWN}`);
  return Results.filter((document) => document["@metadata"]["@collection"] === "Orders");
}

/** What answers behind /raven/. */
export async function readServer() {
  const [{ name }, build] = await Promise.all([get("/server"), get("/raven/build/version")]);
  return name === "RavenDB" ? `RavenDB ${build.FullVersion}` : "built-in authority";
}

/** Whether an error, ours or the package's, means that nobody answers. */
export function isOutage(error) {
  return ["Unreachable", "Timeout"].includes(error.code) || error.status >= 502;
}
