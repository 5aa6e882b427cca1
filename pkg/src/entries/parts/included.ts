// The parts of sessions with queries, brought along.

import * as named from "../../named/named-calls.js";
import * as rql from "../../rql/render.js";
import * as stream from "../../stream/document-iterator.js";
import { PARTS as SESSION } from "./session-included.js";

export const PARTS = { ...SESSION, named, rql, stream };
