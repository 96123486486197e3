import { freePort } from "../../testing/servers/free-port.ts";
import { registerFunction } from "../rig/function.ts";
import type { Rig } from "../rig/rig.ts";
import { compositionOf, definitionOf } from "./definitions.ts";

/** A kind of XR whose function cannot be reached: for two minutes Crossplane has nothing to say of such an XR. */
export async function unreachedOf({ kubectl }: Rig, kind: string): Promise<readonly object[]> {
  const name = "function-out-of-reach";
  await registerFunction(kubectl, `dns:///127.0.0.1:${await freePort()}`, name);
  return [definitionOf({ kind }), compositionOf(kind, [{ step: "never", functionRef: { name } }])];
}
