// Deaths of pages that queue changes in WebKitGTK: see kills/queue.mjs.
import { queueKills } from "./kills/queue.mjs";

queueKills("WebKitGTK");
