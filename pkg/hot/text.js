// Text to bytes and back: one pair for all, because each that is made is felt when a Worker starts.

export const decoder = new TextDecoder();
export const encoder = new TextEncoder();
