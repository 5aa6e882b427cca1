// The parts of queries, brought along.

import * as named from "../../named/named-calls.js";
import * as extras from "../../query-extras/extras.js";
import * as rql from "../../rql/render.js";
import * as stream from "../../stream/document-iterator.js";

/** RQL is there at once. */
export const QUERIES = { rql, stream };

/** What few queries use. */
export const EXTRAS = { extras, named };
