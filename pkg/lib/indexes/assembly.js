// Code in C# that an index brings along.

import { fail } from "../error.js";
import { isText } from "../given.js";

/** An assembly with these members; the ones that are named must say something. */
function assembly(needed, more) {
  for (const [name, value] of Object.entries(needed))
    if (!isText(value)) fail("InvalidArgument", `an additional assembly needs ${name}`);
  return Object.assign(new AdditionalAssembly(), needed, more);
}

export class AdditionalAssembly {
  assemblyName;
  assemblyPath;
  packageName;
  packageVersion;
  packageSourceUrl;
  usings;

  static onlyUsings(usings) {
    if (!usings?.length) fail("InvalidArgument", "an additional assembly needs usings");
    return assembly({}, { usings });
  }

  static fromRuntime(assemblyName, usings = null) {
    return assembly({ assemblyName }, { usings });
  }

  static fromPath(assemblyPath, usings = null) {
    return assembly({ assemblyPath }, { usings });
  }

  static fromNuGet(packageName, packageVersion, packageSourceUrl = null, usings = null) {
    return assembly({ packageName, packageVersion }, { packageSourceUrl, usings });
  }
}
