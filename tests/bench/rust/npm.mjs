// `npm.mjs URL DATABASE COUNT`: prints the times of the npm package in Node.
import { DocumentStore } from "../../../pkg/lib/entries/node.js";
import { measure } from "./times.js";

const [url, database, count] = process.argv.slice(2);
console.log(JSON.stringify(await measure(DocumentStore, url, database, Number(count))));
