// Attachments, which are loaded when they are first used.

export { show } from "./attachment-results.js";
export { call, of } from "./session-attachments.js";
export { sendAttachments } from "./upload-batch.js";
