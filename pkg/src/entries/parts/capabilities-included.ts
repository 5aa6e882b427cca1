// What few apps use, brought along.

import * as attachments from "../../attachments/attachments.js";
import * as hilo from "../../numbers/hilo-generators.js";

export const CAPABILITIES = { attachments, hilo };
