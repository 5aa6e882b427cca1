// Changes by script.

export {
  PatchOperation,
  type PatchOperationResult,
  type PatchStatus,
} from "../dts/operations/patch-operations.js";
export {
  BatchPatchCommandData,
  type IdAndChangeVector,
  PatchCommandData,
  PatchRequest,
} from "../dts/patching/patch-request.js";
export { JavaScriptArray, JavaScriptMap } from "../dts/patching/patch-script.js";
