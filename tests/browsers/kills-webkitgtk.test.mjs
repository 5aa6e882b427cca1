// Deaths of pages in WebKitGTK: see kills/tests.mjs.
import { kills } from "./kills/tests.mjs";

kills("WebKitGTK");
