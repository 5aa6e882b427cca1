// Files that the build writes while tests may be reading them.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The scripts below a folder, as paths inside of it. */
export const filesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true }).filter((name) => /\.(c?js|ts)(\.map)?$/.test(name))
    : [];

/** Makes `folder` contain these files, a map of names and contents, and no other scripts. */
export function writeFolder(folder, files) {
  removeFiles(folder, (name) => !files.has(name));
  for (const [name, contents] of files) replace(join(folder, name), contents);
}

export function removeFiles(folder, unwanted) {
  for (const name of filesIn(folder)) if (unwanted(name)) rmSync(join(folder, name));
}

/** A reader never finds half of a file, and a file that is the same keeps its time. */
function replace(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
}
