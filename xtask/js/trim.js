// Stands before the glue of wasm-bindgen, in place of what `trim.rs` cuts out of it.
// biome-ignore-all lint/correctness/noUnusedVariables: the glue calls them.

// workerd before 2025-05-05 is without.
const owned =
  globalThis.FinalizationRegistry &&
  new FinalizationRegistry(({ ptr, instance, free }) => {
    if (instance === __wbg_instance_id) free(ptr, 1);
  });

/** What lives in the module: freed by whoever owns it, or when nobody has it any longer. */
class Owned {
  constructor(ptr) {
    this.ptr = ptr;
    owned?.register(this, { ptr, instance: __wbg_instance_id, free: this.constructor.free }, this);
  }

  free() {
    const ptr = this.ptr;
    this.ptr = 0;
    owned?.unregister(this);
    this.constructor.free(ptr, 0);
  }
}

/** Each gives the two arguments that a call takes: where it is, and how long. */
function passStringToWasm0(text) {
  return passArray8ToWasm0(cachedTextEncoder.encode(text));
}

function passArray8ToWasm0(bytes) {
  const ptr = wasm.__wbindgen_malloc(bytes.length, 1) >>> 0;
  getUint8ArrayMemory0().set(bytes, ptr);
  return [ptr, bytes.length];
}

function passArray32ToWasm0(numbers) {
  const ptr = wasm.__wbindgen_malloc(numbers.length * 4, 4) >>> 0;
  getUint32ArrayMemory0().set(numbers, ptr / 4);
  return [ptr, numbers.length];
}

/** A text that the module has given away. */
function takeString(ptr, length) {
  const text = getStringFromWasm0(ptr, length);
  wasm.__wbindgen_free(ptr, length, 1);
  return text;
}
