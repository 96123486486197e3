import { USUAL_VERSIONS, type Versions } from "../../src/crossplane/providers/table.ts";
import { type Kind, readKinds } from "./crd.ts";
import { readExternalNames, readTerraformTypes } from "./external-name.ts";
import { type Places, toIdentity } from "./identity.ts";
import { assertReferences } from "./references.ts";
import type { Source } from "./source.ts";
import type { Fact } from "./table.ts";
import { findTagField } from "./tags.ts";

/** Reads the facts of a provider that upjet generates: its CRDs and its external names. */
export function readUpjet(source: Source, places: Places): readonly Fact[] {
  const names = readExternalNames(source);
  const types = readTerraformTypes(source, places.domain);
  return readFamily(source, places.domain).map(({ group, kind, versions }) => {
    const name = names.get(types.get(`${kind}.${group}`) ?? "");
    const identity = toIdentity(versions, name, places);
    assertReferences(versions, identity.fields);
    return { group, kind, tags: findTagField(versions, places.domain), identity, versions: toVersions(versions) };
  });
}

/** Reads the facts of provider-aws before upjet: its external names are code, and its kinds have no twins. */
export const readClassic = (source: Source, places: Places): readonly Fact[] =>
  readFamily(source, places.domain).map(({ group, kind, versions }) => ({
    group,
    kind,
    tags: findTagField(versions, places.domain),
    identity: toIdentity(versions, undefined, places),
    versions: USUAL_VERSIONS,
  }));

/** Finds the oldest versions: earlier releases of the provider serve these, too. */
function toVersions(kinds: readonly Kind[]): Versions {
  const oldest = (isNamespaced: boolean): string =>
    [...(kinds.find((kind) => kind.isNamespaced === isNamespaced)?.versions.keys() ?? [])].sort()[0] ?? "";
  return { cluster: oldest(false), namespaced: oldest(true) };
}

interface Group {
  readonly group: string;
  readonly kind: string;
  /** Cluster-scoped and namespaced. */
  readonly versions: readonly Kind[];
}

function readFamily(source: Source, domain: string): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const kind of readKinds(source).filter(({ group }) => group.endsWith(domain))) {
    const name = `${kind.kind}.${kind.group}`;
    const { versions } = groups.get(name) ?? { versions: [] };
    groups.set(name, { group: kind.group, kind: kind.kind, versions: [...versions, kind] });
  }
  return [...groups.values()];
}
