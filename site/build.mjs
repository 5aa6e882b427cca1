// `node site/build.mjs`: the pages and the demo as a static site in `target/site/www`. `cargo xtask site` calls it and adds the
// references.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";
import { pageAlone } from "../www/dev/build.mjs";
import { stage } from "./stage.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const out = path("../target/site/www");

await rm(out, { recursive: true, force: true });
await stage(path("../target/site/pages"));
await build(path("."));
await pageAlone(join(out, "demo"));
// The demo's script, in a folder of the site, asks for its module at `../../gen`, which is the site's root.
await cp(join(out, "demo/gen"), join(out, "gen"), { recursive: true });
