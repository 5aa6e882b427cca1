// The parts of sessions with queries, brought along.

import * as stream from "../apart/stream.js";
import { PARTS as SESSION } from "./session.js";

export const PARTS = { ...SESSION, stream };
