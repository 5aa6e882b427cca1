import { DocumentStore } from "raven-edge";

const url = "/raven";
let hi = 0;
const nextHi = async () => ++hi;
const grant = async (_tag, size) => ({ low: 1, high: size });
const started = [url, nextHi, grant, DocumentStore];
{
  // the block
}
void started;
