import { resourceKey } from "../../crossplane/references.ts";
import { groupBy } from "../../model/collections.ts";
import { type Binding, findBinding, MAX_BINDINGS } from "../../records/record.ts";
import { findCopied } from "./copies/observed.ts";
import type { Depending } from "./dependents.ts";
import { bindsOne, type Named } from "./judgement.ts";

/** Binds the XR to the resource that it names, and to those whose grants stand or whose copies are kept. */
export function bind(share: Depending): readonly Binding[] {
  const { shared, targets, before, delivery, depending } = share;
  const { named, stay } = share.judgement;
  if (!bindsOne(shared)) return [];
  const copies = groupBy(delivery.made, ({ origin }) => resourceKey(origin));
  const dependents = groupBy(depending.bound, ({ origin }) => resourceKey(origin));
  const credentialFor = shared.connection?.secretRef.perConsumer === true ? targets.namespaces[0] : undefined;
  const toBinding = ({ resource, access, ticket, claimNamespace }: Named): Binding => ({
    resource,
    access,
    secrets: (copies.get(resourceKey(resource)) ?? []).map(({ secret }) => secret),
    dependents: (dependents.get(resourceKey(resource)) ?? []).map(({ name }) => name),
    credentialFor,
    copied:
      credentialFor === undefined
        ? undefined
        : (findCopied(delivery.copies, resource) ?? findBinding(resource, before)?.copied),
    ...{ ticket, claimNamespace },
  });
  const composed = [...delivery.made, ...depending.bound].map(
    ({ origin: resource }): Named => ({ ...findBinding(resource, before), resource, access: "Granted" }),
  );
  const distinct = groupBy([...(named ? [named] : []), ...stay, ...composed], ({ resource }) => resourceKey(resource));
  return [...distinct.values()].slice(0, MAX_BINDINGS).flatMap((same) => same.slice(0, 1).map(toBinding));
}
