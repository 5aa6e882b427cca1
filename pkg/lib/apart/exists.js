// Whether the server has a document, which is not loaded.

export async function exists(unit, id) {
  const route = `docs?id=${encodeURIComponent(id)}`;
  return (await unit.ask({ method: "HEAD", route, safe: true })).status === 200;
}
