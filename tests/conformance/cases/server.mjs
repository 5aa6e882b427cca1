// Topology, version, configuration, headers, routes, origins, databases.
const json = { "Content-Type": "application/json" };
const missing = { path: "{D}/docs?id=no" };
const withEtag = (value) => ({ ...missing, headers: { "Topology-Etag": value } });

export default [
  {
    name: "topology",
    steps: [
      { path: "/topology?name={db}" },
      { path: "/topology?name={DB}" },
      { path: "/topology?name={db}", headers: { "Topology-Etag": "0" } },
    ],
  },
  {
    name: "topology without a name",
    steps: [
      { path: "/topology", names: "name" },
      { path: "/topology?name=", names: "name" },
      { path: "/topology?name=a&name=b", names: "name" },
    ],
  },
  { name: "topology spelt otherwise", steps: [{ path: "/Topology?name={db}" }, { path: "{D}/topology" }] },
  {
    name: "version and configuration",
    steps: [{ path: "/build/version" }, { path: "{D}/configuration/client" }],
  },
  {
    name: "statistics",
    own: true,
    steps: [
      { path: "{D}/stats" },
      { method: "PUT", path: "{D}/docs?id=a", body: "{}" },
      { method: "PUT", path: "{D}/docs?id=b", body: "{}" },
      { path: "{D}/stats" },
      { method: "DELETE", path: "{D}/docs?id=b" },
      { path: "{D}/hilo/next?tag=s" },
      { method: "DELETE", path: "{D}/docs?id=Raven/Hilo/s" },
      { path: "{D}/stats" },
      { path: "{D}/stats", headers: { "Topology-Etag": "0" } },
      { method: "POST", path: "{D}/stats" },
      { method: "HEAD", path: "{D}/stats" },
    ],
  },
  {
    name: "Topology-Etag: older ones make the client refresh",
    steps: ["0", '"0"', "1", "-1", '"-1"', " 0 ", '"99999"', "abc", '""', '"0', '0"', "1.5"].map(withEtag),
  },
  {
    name: "Topology-Etag on every kind of response",
    steps: [
      { path: "{D}/hilo/next", headers: { "Topology-Etag": "0" } },
      { path: "{D}/hilo/next?tag=te", headers: { "topology-etag": "0" } },
      { method: "DELETE", path: "{D}/docs?id=te", headers: { "Topology-Etag": "0" } },
      { path: "{D}/nope", headers: { "Topology-Etag": "0" } },
    ],
  },
  {
    name: "the incarnation is on every response of a database, refusals too",
    steps: [
      { path: "{D}/hilo/next?tag=inc" },
      { path: "{D}/hilo/next?tag=" },
      missing,
      { method: "DELETE", path: "{D}/docs?id=no" },
      { method: "POST", path: "{D}/multi_get", body: "{}" },
      { method: "POST", path: "{D}/bulk_docs", body: "{}" },
      { path: "{D}/configuration/client" },
      { path: "{D}/docs?startsWith=no" },
    ],
  },
  ...[
    "/nope",
    "/databases/{db}",
    "/databases/",
    "/databases/{db}/",
    "{D}/nope",
    "{D}/docs/",
    "/Databases/{db}/docs?id=a",
  ].map((path) => ({
    name: `no route: ${path}`,
    steps: [
      { path, names: "GET" },
      { method: "OPTIONS", path, names: "OPTIONS" },
    ],
  })),
  {
    name: "no preflight",
    steps: [
      {
        method: "OPTIONS",
        path: "{D}/docs",
        headers: { Origin: "http://app.example", "Access-Control-Request-Method": "PUT" },
      },
    ],
  },
  ...["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"].map((method) => ({
    name: `foreign origin: ${method}`,
    steps: [
      {
        method,
        path: "{D}/docs?id=no",
        headers: { Origin: "http://app.example" },
        body: method === "POST" || method === "PUT" ? "{}" : undefined,
      },
    ],
  })),
  {
    name: "own origin, any scheme",
    steps: [
      (s) => ({ ...missing, headers: { Origin: new URL(s.base).origin } }),
      (s) => ({ ...missing, headers: { Origin: new URL(s.base).origin.replace("http:", "https:") } }),
      (s) => ({ ...missing, headers: { Origin: `${new URL(s.base).origin.toUpperCase()}/` } }),
      (s) => ({ ...missing, headers: { Origin: new URL(s.base).origin.replace("127.0.0.1", "localhost") } }),
      { ...missing, headers: { Origin: "http://127.0.0.1" } },
    ],
  },
  ...["null", "garbage", "http://", ""].map((origin) => ({
    needs: origin === "" ? "empty headers" : undefined,
    name: `origin '${origin}'`,
    steps: [{ ...missing, headers: { Origin: origin } }],
  })),
  {
    name: "Content-Encoding identity",
    steps: [
      { method: "PUT", path: "{D}/docs?id=ce", headers: { "Content-Encoding": "identity" }, body: "{}" },
    ],
  },
  ...[
    {
      name: "a database that is not there",
      steps: [
        { path: "/databases/nodb/hilo/next?tag=a", names: "nodb" },
        { path: "/databases/nodb/docs?id=a", headers: { "Topology-Etag": "0" }, names: "nodb" },
        { path: "/databases/nodb/nope" },
        { path: "/databases//docs" },
        { path: "/topology?name=nodb", names: "nodb" },
      ],
    },
    {
      name: "a database's life: taken name, deleted, made anew with another incarnation",
      own: true,
      steps: [
        { path: "{D}/hilo/next?tag=life" },
        { path: "{D}/docs?id=Raven/Hilo/life" },
        { method: "PUT", path: "/admin/databases?name={db}", headers: json, body: '{"DatabaseName":"{db}"}' },
        {
          method: "DELETE",
          path: "/admin/databases",
          headers: json,
          body: '{"DatabaseNames":["{db}"],"HardDelete":true,"TimeToWaitForConfirmation":"00:00:15"}',
        },
        { path: "{D}/hilo/next?tag=life" },
        { path: "/topology?name={db}" },
        {
          method: "PUT",
          path: "/admin/databases?name={db}",
          headers: json,
          body: '{"DatabaseName":"{db}"}',
          created: true,
        },
        { path: "{D}/hilo/next?tag=life" },
        { path: "{D}/docs?id=Raven/Hilo/life" },
      ],
    },
    {
      name: "names of databases refused",
      steps: [
        {
          method: "PUT",
          path: "/admin/databases?name=a%2Fb",
          headers: json,
          body: '{"DatabaseName":"a/b"}',
          names: "a/b",
        },
        { method: "PUT", path: "/admin/databases?name=x", headers: json, body: "{}" },
        { method: "PUT", path: "/admin/databases?name=x", headers: json, body: "" },
      ],
    },
  ].map((c) => ({ ...c, needs: "admin" })),
].map((c) => ({ ...c, name: `server: ${c.name}` }));
