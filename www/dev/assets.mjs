// Bundles the page for wrangler into `www/.dist`. Wrangler bundles the Worker itself.
import { fileURLToPath } from "node:url";
import { pageAlone } from "./build.mjs";

await pageAlone(fileURLToPath(new URL("../.dist", import.meta.url)));
