import { type Reference, resourceKey } from "../../crossplane/references.ts";
import { groupBy } from "../../model/collections.ts";
import { type Binding, findBinding, MAX_BINDINGS } from "../../records/record.ts";
import type { Delivery } from "./copies/deliver.ts";
import { findCopied } from "./copies/observed.ts";
import type { Judged, Named } from "./judgement.ts";
import { bindsOne } from "./share.ts";

/** The copies of a share and its dependents, by name in the Composition, and the shared resource that each is for. */
interface Composing extends Pick<Delivery, "copies" | "made"> {
  readonly dependents: readonly { readonly name: string; readonly origin: Reference }[];
}

/** Binds a share to the resource that the XR names, and to those whose grants stand or whose copies are kept. */
export function bind(
  { shared, targets, before, judgement: { named, stay } }: Judged,
  { made, copies: observed, dependents }: Composing,
): readonly Binding[] {
  if (!bindsOne(shared)) return [];
  const copies = groupBy(made, ({ origin }) => resourceKey(origin));
  const depending = groupBy(dependents, ({ origin }) => resourceKey(origin));
  const credentialFor = shared.connection?.secretRef.perConsumer === true ? targets.namespaces[0] : undefined;
  const toBinding = ({ resource, access, ticket, claimNamespace }: Named): Binding => ({
    resource,
    access,
    secrets: (copies.get(resourceKey(resource)) ?? []).map(({ secret }) => secret),
    dependents: (depending.get(resourceKey(resource)) ?? []).map(({ name }) => name),
    credentialFor,
    copied:
      credentialFor === undefined
        ? undefined
        : (findCopied(observed, resource) ?? findBinding(resource, before)?.copied),
    ...{ ticket, claimNamespace },
  });
  const composed = [...made, ...dependents].map(
    ({ origin: resource }): Named => ({ ...findBinding(resource, before), resource, access: "Granted" }),
  );
  const distinct = groupBy([...(named ? [named] : []), ...stay, ...composed], ({ resource }) => resourceKey(resource));
  return [...distinct.values()].slice(0, MAX_BINDINGS).flatMap((same) => same.slice(0, 1).map(toBinding));
}
