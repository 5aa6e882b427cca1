import { DocumentStore } from "raven-edge";
import { offline } from "raven-edge/offline";

{
  // the block
  void store;
}
