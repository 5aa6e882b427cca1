// `raven-edge/complete`: everything in one piece, for service workers, where nothing can be loaded later.

import * as plural from "../../gen/plural.js";
import * as live from "../live/live.js";
import * as extras from "../query-extras/extras.js";
import { bring } from "../runtime/load-part.js";
import { StoreBase } from "../store/query-store.js";
import { CAPABILITIES } from "./parts/capabilities-included.js";
import { PARTS } from "./parts/included.js";
import { runtime } from "./runtimes/web.js";

bring({ ...PARTS, ...CAPABILITIES, extras, live, plural });

export class DocumentStore extends runtime.of(StoreBase) {}

export default DocumentStore;

export * from "./query-exports.js";
