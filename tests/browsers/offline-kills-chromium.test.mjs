// Deaths of pages that queue changes in Chromium: see kills/queue.mjs.
import { queueKills } from "./kills/queue.mjs";

queueKills("Chromium");
