/**
 * Identifying fields whose references have another stem than the field's name, and that stem. `npm run facts` checks that all are listed.
 * Source: upjet's RefFieldName in provider-upjet-aws; AccessEntry, AccountAssignment, CustomerManagedPolicyAttachment.
 */
const RENAMED: Readonly<Record<string, string>> = {
  principalArn: "principalArnFromRole",
  principalId: "principalIdFromGroup",
  name: "policyName",
};

/** Lists the names of the references and selectors that fill in a field: `subnetIdRefs`, `subnetIdSelector` and more for `subnetIds`. */
export function listReferences(field: string): readonly string[] {
  const renamed = RENAMED[field];
  const names = renamed === undefined ? [field] : [field, renamed];
  const stems = field.endsWith("s") ? [...names, field.slice(0, -1)] : names;
  return stems.flatMap((stem) => [`${stem}Ref`, `${stem}Refs`, `${stem}Selector`]);
}
