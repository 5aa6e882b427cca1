import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";

const used = [DocumentStore, offline];
{
  // the block
}
void used;
