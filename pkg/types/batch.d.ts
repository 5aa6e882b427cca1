// Commands that are sent with a save.

export {
  DeleteCommandData,
  type ICommandData,
  PutCommandDataBase,
  PutCommandDataWithJson,
} from "../dts/saving/batch-commands.js";
