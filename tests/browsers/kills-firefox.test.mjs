// Deaths of pages in Firefox: see kills/tests.mjs.
import { kills } from "./kills/tests.mjs";

kills("Firefox");
