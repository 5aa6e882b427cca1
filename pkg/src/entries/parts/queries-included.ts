// The parts of queries, brought along: RQL is there at once.

import * as named from "../../named/named-calls.js";
import * as rql from "../../rql/render.js";
import * as stream from "../../stream/document-iterator.js";

export const PARTS = { named, rql, stream };
