// TLS in tests: certificates of an authority of their own, and servers that require a client certificate.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { after } from "./cleanup.mjs";
import { listen } from "./ports.mjs";
import { send } from "./server.mjs";

/** Certificates of our own test authority: server, client as PEM, client as PFX with a password. */
export function certificates(t) {
  const folder = mkdtempSync(join(tmpdir(), "raven-edge-tls-"));
  after(t, () => rmSync(folder, { recursive: true }));
  const openssl = (...args) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const selfSigned = (who, subject) =>
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      `${who}.key`,
      "-out",
      `${who}.crt`,
      "-days",
      "2",
      "-subj",
      `/CN=${subject}`,
    );
  selfSigned("ca", "Test authority");
  selfSigned("other", "another server");
  for (const [who, extra] of [
    ["server", ["-addext", "subjectAltName=IP:127.0.0.1"]],
    ["client", ["-addext", "extendedKeyUsage=clientAuth"]],
  ]) {
    openssl("req", ...key, "-keyout", `${who}.key`, "-out", `${who}.csr`, "-subj", `/CN=${who}`, ...extra);
    openssl(
      "x509",
      "-req",
      "-in",
      `${who}.csr`,
      "-CA",
      "ca.crt",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-out",
      `${who}.crt`,
      "-days",
      "2",
      "-copy_extensions",
      "copy",
    );
  }
  openssl(
    "pkcs12",
    "-export",
    "-in",
    "client.crt",
    "-inkey",
    "client.key",
    "-out",
    "client.pfx",
    "-passout",
    "pass:secret",
  );
  const read = (name) => readFileSync(join(folder, name));
  return {
    ca: read("ca.crt"),
    server: { key: read("server.key"), cert: read("server.crt") },
    /** Of a server that nobody but itself has signed. */
    other: { key: read("other.key"), cert: read("other.crt") },
    pem: `${read("client.crt")}${read("client.key")}`,
    pfx: read("client.pfx"),
  };
}

/**
 * A TLS server that requires a client certificate of the authority, and forwards. `change`: changes the text of a response, given its
 * path.
 */
export async function guarded(t, { ca, server }, target, change = (text) => text) {
  const clients = [];
  const made = https.createServer(
    { ...server, ca, requestCert: true, rejectUnauthorized: true },
    async (request, response) => {
      clients.push(request.socket.getPeerCertificate().subject.CN);
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      const upstream = await send(target, request.method, request.url, body || undefined);
      const headers = { "content-type": upstream.headers.get("content-type") ?? "text/plain" };
      response
        .writeHead(upstream.status, headers)
        .end(upstream.status === 204 ? undefined : change(upstream.text, request.url));
    },
  );
  await new Promise((resolve) => made.listen(0, "127.0.0.1", resolve));
  after(t, () => {
    made.closeAllConnections();
    return new Promise((resolve) => made.close(resolve));
  });
  return { url: `https://127.0.0.1:${made.address().port}`, clients };
}

/**
 * A server with TLS for TCP: it forwards bytes to a port of this machine, and shows the certificate `other`. Gives its port, the names of the
 * clients, and what they have sent.
 */
export async function guardedTcp(t, { ca, other }, target) {
  const sockets = new Set();
  const state = { port: 0, clients: [], sent: "" };
  const made = createServer({ ...other, ca, requestCert: true, rejectUnauthorized: true }, (near) => {
    state.clients.push(near.getPeerCertificate().subject.CN);
    near.on("data", (bytes) => {
      state.sent += bytes;
    });
    const far = connect(target, "127.0.0.1");
    for (const [one, end] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => end.destroy());
      one.pipe(end);
    }
  });
  made.on("tlsClientError", () => {});
  state.port = await listen(made);
  after(t, () => {
    for (const socket of sockets) socket.destroy();
    made.close();
  });
  return state;
}
