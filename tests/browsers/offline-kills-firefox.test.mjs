// Deaths of pages that queue changes in Firefox: see kills/queue.mjs.
import { queueKills } from "./kills/queue.mjs";

queueKills("Firefox");
