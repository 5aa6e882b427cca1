// Node, Deno and Bun: the module lies beside this file and is read at once.

import * as plural from "./gen/plural.js";
import { glue } from "./gen/raven_edge.js";
import { addStubs } from "./lib/absent.js";
import { connect } from "./lib/certificate.js";
import { read } from "./lib/disk.js";
import { bring } from "./lib/later.js";
import * as node from "./lib/node-streams.js";
import { PARTS } from "./lib/parts/all.js";
import { refuseAbsent } from "./lib/query/absent.js";
import { GroupByDocumentQuery } from "./lib/query/query.js";
import { RawDocumentQuery } from "./lib/query/raw.js";
import { StoreBase } from "./lib/query/store.js";
import { Runtime } from "./lib/runtime.js";

const load = () =>
  read(new URL("./gen/raven_edge_bg.wasm", import.meta.url), () => import("./gen/inline.js"));

addStubs();
for (const Query of [RawDocumentQuery, GroupByDocumentQuery]) refuseAbsent(Query);

bring({ ...PARTS, plural });

const runtime = new Runtime(glue, load, { connect, node });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./lib/query/api.js";
