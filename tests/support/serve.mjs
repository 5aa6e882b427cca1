// A web site for pages: files of a folder, pages of a test, and /raven forwarded to a server without the Origin
// header. Or one origin for such a server and the server of an app.
import { createReadStream, existsSync, statSync } from "node:fs";
import http from "node:http";
import { extname, join, normalize } from "node:path";
import { after } from "./cleanup.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".css": "text/css",
};

/**
 * Serves `folder`; `pages` maps paths to HTML texts, `handlers` maps paths to functions `(request, response)`.
 * `refuse(request)` selects requests that find the server unreachable. Unknown paths get `fallback` if given (dev
 * servers respond so), else 404. `mounts`: more folders, by the beginnings of their paths. `app`: the address of a server that gets all else.
 * `sockets`: whether WebSockets under /raven are forwarded, too.
 */
export async function serve(
  t,
  {
    folder,
    pages = {},
    handlers = {},
    raven,
    app,
    sockets = app !== undefined,
    headers = {},
    fallback,
    refuse,
    mounts = {},
  } = {},
) {
  const requests = [];
  const forwarded = new Set();
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    requests.push(pathname);
    const page = (text) => response.writeHead(200, { "content-type": TYPES[".html"], ...headers }).end(text);
    if (handlers[pathname]) return handlers[pathname](request, response);
    if (refuse?.(request)) return request.socket.destroy();
    if (raven && pathname.startsWith("/raven/"))
      return forward(request, response, raven, pathIn(request), forwarded);
    if (app) return forward(request, response, app, request.url, forwarded);
    if (pages[pathname] !== undefined) return page(pages[pathname]);
    const mount = Object.keys(mounts).find((path) => pathname.startsWith(path));
    const file = mount
      ? join(mounts[mount], normalize(`/${pathname.slice(mount.length)}`))
      : folder && join(folder, normalize(pathname === "/" ? "/index.html" : pathname));
    if (file && existsSync(file) && statSync(file).isFile()) {
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        ...headers,
      });
      createReadStream(file).pipe(response);
    } else if (fallback !== undefined) page(fallback);
    else response.writeHead(404).end();
  });
  if (sockets) server.on("upgrade", (request, socket, head) => connect(request, socket, head, raven));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => {
    server.closeAllConnections();
    // RavenDB responds only after two minutes to requests that are pending when their database is deleted.
    for (const sent of forwarded) sent.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

const pathIn = ({ url }) => url.slice("/raven".length);

function forward(request, response, target, path, forwarded) {
  const sent = asked(request, target, path, (upstream) => {
    response.writeHead(upstream.statusCode, upstream.headers);
    upstream.pipe(response);
    // Of a response that breaks off nobody waits for the rest.
    upstream.on("close", () => upstream.complete || response.destroy());
    // Responses that a page no longer waits for are read to their end: otherwise the server holds the connection
    // for two minutes.
    if (response.destroyed) upstream.resume();
    else response.on("close", () => upstream.resume());
  });
  forwarded.add(sent);
  sent.on("close", () => forwarded.delete(sent));
  sent.on("error", () => response.destroy());
  // A page that closes during a send leaves an incomplete request, for whose rest the server would wait as long.
  request.on("close", () => request.complete || sent.destroy());
  request.pipe(sent);
}

/** Forwards a WebSocket. */
function connect(request, socket, head, raven) {
  const sent = asked(request, raven, pathIn(request), () => socket.destroy());
  const end = () => {
    sent.destroy();
    socket.destroy();
  };
  for (const each of [sent, socket]) each.on("error", end);
  sent.on("upgrade", ({ rawHeaders }, upstream, first) => {
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
    // What came together with the headers.
    upstream.unshift(first);
    socket.unshift(head);
    upstream.on("error", end).on("close", end).pipe(socket);
    socket.on("close", end).pipe(upstream);
  });
  sent.end();
}

/** The same request to a server, without the Origin header. */
function asked({ method, headers: { origin: _, host: __, ...headers } }, target, path, responded) {
  const { host, hostname, port } = new URL(target);
  return http.request({ host: hostname, port, method, path, headers: { ...headers, host } }, responded);
}
