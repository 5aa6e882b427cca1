// Built files of a page, as the platform serves them to a Worker.
import { readFile } from "node:fs/promises";
import { join, normalize } from "node:path";

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm" };

/** The binding `ASSETS` for the files in `dist` of a folder. */
export const assets = (folder) => async (request) => {
  const { pathname } = new URL(request.url);
  const file = pathname === "/" ? "/index.html" : normalize(pathname);
  const body = await readFile(join(folder, "dist", file)).catch(() => undefined);
  const type = TYPES[file.split(".").pop()] ?? "application/octet-stream";
  return body ? new Response(body, { headers: { "content-type": type } }) : new Response("", { status: 404 });
};
