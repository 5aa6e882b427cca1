// `raven-edge/offline`: changes that wait on the device.

export { offline } from "../offline/offline.js";
