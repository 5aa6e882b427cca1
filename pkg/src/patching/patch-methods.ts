// The patches of `session.advanced` as apps see them. Types alone.

import type { NamedPatchOptions, Names } from "../named/named-definitions.js";
import type { JavaScriptArray, JavaScriptMap } from "./script-arrays-and-maps.js";

/** Patches that the next save sends. */
export interface PatchMethods<Defined extends Names> {
  /**
   * Sets a member of a document on the server, in the transaction of the next save. Several patches of one document are one command.
   * If the session has the entity, it shows the patched document after the save. A document that does not exist is not created. The save
   * refuses (`InvalidOperation`) a document that has also changed in the session.
   *
   * ```ts
   * session.advanced.patch("products/7-A", "prices[0].amount", 12.5);
   * session.advanced.patch(product, 'texts["de-DE"]', "Käse");
   * await session.saveChanges();
   * ```
   * @param path A path of names, `[0]` and `["any text"]`. It becomes part of a script, so anything else is refused.
   * @throws {RavenEdgeError} `InvalidArgument` for another text as path, a blank id and an entity that was never saved; `InvalidOperation`
   * for an object that is not an entity of this session.
   */
  patch<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    path: string,
    value: TValue,
  ): void;
  /**
   * Patches a document by a script that is declared under a name: by the gateway between this client and RavenDB, or by
   * `store.named`. Else as above.
   *
   * ```ts
   * session.advanced.patch(order, { named: "addLine", parameters: { line: { product: "products/7-A", amount: 2 } } });
   * ```
   * @throws {RavenEdgeError} As above; without a gateway `InvalidArgument` for a name that is not declared and for wrong parameters. A
   * gateway refuses them when they are saved, with the `type` `RavenEdge.Gateway.DocumentRefused` or `RavenEdge.Gateway.RequestMalformed`.
   */
  patch<TEntity extends object = object>(
    entityOrId: TEntity | string,
    patch: NamedPatchOptions<Defined>,
  ): void;
  /** Adds to a number, or appends to a text; a member that is absent, `null`, 0 or empty becomes the value. Else as {@link patch}. */
  increment<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    path: string,
    valueToAdd: TValue,
  ): void;
  /**
   * Changes an array. Else as {@link patch}.
   *
   * ```ts
   * session.advanced.patchArray<Order, Line>("orders/1-A", "lines", (lines) => lines.push(line).removeAt(0));
   * ```
   */
  patchArray<TEntity extends object = object, TValue = unknown>(
    entityOrId: TEntity | string,
    pathToArray: string,
    change: (array: JavaScriptArray<TValue>) => void,
  ): void;
  /** Changes an object whose keys are data. Else as {@link patch}. */
  patchObject<TEntity extends object = object, TKey = string, TValue = unknown>(
    entityOrId: TEntity | string,
    pathToObject: string,
    change: (map: JavaScriptMap<TKey, TValue>) => void,
  ): void;
  /**
   * Patches a document, or makes this one where there is none; it is made as it is, without the patch.
   *
   * ```ts
   * session.advanced.addOrIncrement("visits/2026-11-22", new Visits(1), "count", 1);
   * ```
   */
  addOrPatch<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    path: string,
    value: TValue,
  ): void;
  /** Creates the document, or increments it as {@link increment} does. */
  addOrIncrement<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    path: string,
    valueToAdd: TValue,
  ): void;
  /** Creates the document, or changes it as {@link patchArray} does. */
  addOrPatchArray<TEntity extends object = object, TValue = unknown>(
    id: string,
    entity: TEntity,
    pathToArray: string,
    change: (array: JavaScriptArray<TValue>) => void,
  ): void;
}
