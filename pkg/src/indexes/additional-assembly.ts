// C# assemblies and code for the definition of an index.

import { isText } from "../common/arguments.js";
import { fail } from "../common/error.js";

/** An assembly with these members; those in `needed` must not be blank. */
function assembly(
  needed: Partial<AdditionalAssembly>,
  more: { [Name in keyof AdditionalAssembly]?: AdditionalAssembly[Name] | null | undefined },
): AdditionalAssembly {
  for (const [name, value] of Object.entries(needed))
    if (!isText(value)) fail("InvalidArgument", `an additional assembly needs ${name}`);
  return Object.assign(new AdditionalAssembly(), needed, more) as AdditionalAssembly;
}

/** C# code that an index in C# uses. */
export class AdditionalAssembly {
  assemblyName!: string;
  assemblyPath!: string;
  packageName!: string;
  packageVersion!: string;
  packageSourceUrl!: string;
  usings!: string[];

  /** @throws {RavenEdgeError} `InvalidArgument` for a blank name, as the others. */
  static onlyUsings(usings: string[]): AdditionalAssembly {
    if (!usings?.length) fail("InvalidArgument", "an additional assembly needs usings");
    return assembly({}, { usings });
  }

  static fromRuntime(assemblyName: string, usings: string[] | null = null): AdditionalAssembly {
    return assembly({ assemblyName }, { usings });
  }

  static fromPath(assemblyPath: string, usings: string[] | null = null): AdditionalAssembly {
    return assembly({ assemblyPath }, { usings });
  }

  static fromNuGet(
    packageName: string,
    packageVersion: string,
    packageSourceUrl: string | null = null,
    usings: string[] | null = null,
  ): AdditionalAssembly {
    return assembly({ packageName, packageVersion }, { packageSourceUrl, usings });
  }
}
