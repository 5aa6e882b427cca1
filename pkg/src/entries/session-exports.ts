// What entries with sessions and without queries export, beside their own store.

export { HiLo } from "../numbers/hilo.js";
export { DocumentSession } from "../session/advanced.js";
export * from "./session-classes.js";
