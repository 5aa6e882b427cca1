// Attachments, which are loaded when they are first used.

export { show } from "./attachment-results.js";
export { of } from "./session-attachments.js";
export { send, uploadOf } from "./upload-batch.js";
