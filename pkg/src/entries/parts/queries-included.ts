// The parts of queries, brought along: RQL is there at once.

import * as rql from "../../rql/render.js";
import * as stream from "../../stream/document-iterator.js";

export const PARTS = { rql, stream };
