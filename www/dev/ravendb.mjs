// Creates the demo's database on a real server.

const PAUSE = 1_000;

async function create(server, database) {
  const url = new URL(`/admin/databases?name=${encodeURIComponent(database)}&replicationFactor=1`, server);
  const response = await fetch(url, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ DatabaseName: database }),
  });
  // 409: the database exists already.
  if (!response.ok && response.status !== 409) {
    console.error(`raven-edge demo: the database ${database} cannot be created: ${await response.text()}`);
  }
}

/** Creates the database if it is missing, as soon as the server responds. */
export async function createDatabase(server, database) {
  for (let warned = false; ; warned = true) {
    try {
      return await create(server, database);
    } catch (error) {
      if (!warned)
        console.error(
          `raven-edge demo: ${server} does not respond yet (${error.cause?.code ?? error.message})`,
        );
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
