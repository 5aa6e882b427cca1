// Deaths of pages in Chromium: see kills/tests.mjs.
import { kills } from "./kills/tests.mjs";

kills("Chromium");
