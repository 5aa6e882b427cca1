// The recipes of docs/proxies.md, each with the real program in front of the real RavenDB.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { saving } from "../support/app-code.mjs";
import { missingChromium, visit } from "../support/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { pkg } from "../support/pages.mjs";
import { freePort } from "../support/ports.mjs";
import { counter, database, document, missing, ravendb } from "../support/server.mjs";

const recipes = readFileSync(new URL("../../docs/proxies.md", import.meta.url), "utf8");
const vite = new URL("../../node_modules/vite/bin/vite.js", import.meta.url).pathname;

const PAGE = (name) => `<!doctype html><meta charset=utf-8><title></title><script type=module>
  import { DocumentStore } from "/raven-edge/lib/entries/web.js";
  async function main() {
    const live = new DocumentStore("/raven", "${name}").initialize();
    const orders = live.changes().forDocumentsInCollection("Orders");
    const change = new Promise((resolve) => orders.on("data", resolve));
    await orders.ensureSubscribedNow();
    ${saving("/raven", name)}
    const { id } = await change;
    await live.dispose();
    return id;
  }
  main().catch((error) => error.stack).then((text) => { document.title = text; });
</script>`;

/** A recipe adapted to this machine: RavenDB's address, the port and the folder are the test's. */
function recipe(language, { port, folder }) {
  const [, text] = new RegExp(`\`\`\`${language}[^\n]*\n([\\s\\S]*?)\`\`\``).exec(recipes);
  return text
    .replaceAll("127.0.0.1:8080", new URL(ravendb.url).host)
    .replaceAll(/(listen |:)8081/g, `$1${port}`)
    .replaceAll("/srv/app", folder);
}

test("docs/start-browser.md has the same recipe for Vite", () => {
  const start = readFileSync(new URL("../../docs/start-browser.md", import.meta.url), "utf8");
  const [, text] = /```js[^\n]*\n(\/\/ vite\.config\.js\n[\s\S]*?)```/.exec(recipes);
  assert.ok(start.includes(text));
});

const PROGRAMS = {
  nginx: async (place) => {
    const { folder } = place;
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/.${kind};`,
    );
    await writeFile(
      `${folder}/nginx.conf`,
      `daemon off; user root; pid ${folder}/.pid; error_log stderr; events {}
http { access_log off; include /etc/nginx/mime.types; ${paths.join(" ")} ${recipe("nginx", place)} }`,
    );
    return ["nginx", ["-p", folder, "-c", `${folder}/nginx.conf`, "-e", "stderr"]];
  },
  caddy: async (place) => {
    await writeFile(`${place.folder}/Caddyfile`, `{\n  admin off\n}\n${recipe("caddy", place)}`);
    return ["caddy", ["run", "--config", `${place.folder}/Caddyfile`, "--adapter", "caddyfile"]];
  },
  vite: async (place) => {
    await writeFile(`${place.folder}/vite.config.js`, recipe("js", place));
    const flags = ["--host", "127.0.0.1", "--port", String(place.port), "--strictPort"];
    return [process.execPath, [vite, place.folder, ...flags]];
  },
};

/** Why a program's test is skipped; `false` if it is available. nginx is in a folder that PATH may not contain. */
function missingProgram(name) {
  const folders = [...process.env.PATH.split(":"), "/usr/sbin"];
  return name !== "vite" && !folders.some((folder) => existsSync(join(folder, name))) && `no ${name}`;
}

/** Waits until the address accepts connections or the program has ended. */
async function listening(child, url) {
  for (;;) {
    assert.equal(child.exitCode, null, "the proxy ended");
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

for (const [name, start] of Object.entries(PROGRAMS))
  test(`a page saves a document through ${name}, and hears of it`, {
    skip: missingProgram(name) || missingChromium || missing(ravendb),
    timeout: 60_000,
  }, async (t) => {
    const base = await database(t, ravendb);
    const folder = await mkdtemp(join(tmpdir(), "raven-edge-proxy-"));
    after(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    await cp(pkg, join(folder, "raven-edge"), { recursive: true });
    await writeFile(join(folder, "index.html"), PAGE(base));
    const port = await freePort();
    const [program, flags] = await start({ port, folder });
    const child = spawn(program, flags, {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${process.env.PATH}:/usr/sbin`,
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    after(t, async () => {
      child.kill();
      await ended;
    });
    const url = `http://127.0.0.1:${port}/`;
    await listening(child, url);
    const { page, problems } = await visit(t, url);
    await page.waitForFunction(() => globalThis.document.title !== "");
    assert.equal(await page.title(), "orders/1-A");
    assert.deepEqual(problems, []);
    assert.equal((await document(ravendb, base, "orders/1-A")).total, 5);
    assert.equal(await counter(ravendb, base, "orders"), 1, "unused numbers were returned");
  });
