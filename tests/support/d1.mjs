// D1, which is SQLite, as miniflare has it.
import { Miniflare } from "miniflare";
import { after } from "./cleanup.mjs";

/** An empty database; gone after the test. */
export async function d1(t) {
  const miniflare = new Miniflare({
    modules: true,
    script: "export default { fetch: () => new Response() };",
    d1Databases: ["DB"],
    cf: false,
  });
  after(t, () => miniflare.dispose());
  return miniflare.getD1Database("DB");
}
