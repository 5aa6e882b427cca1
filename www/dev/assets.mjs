// Bundles the page for wrangler into `www/.dist`. Wrangler bundles the Worker itself.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install, page } from "./build.mjs";

const assets = fileURLToPath(new URL("../.dist", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "raven-edge-page-"));
try {
  await install(join(folder, "node_modules"));
  await rm(assets, { recursive: true, force: true });
  await page(assets, join(folder, "node_modules"));
} finally {
  await rm(folder, { recursive: true, force: true });
}
