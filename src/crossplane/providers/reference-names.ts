/**
 * References that are not called like the identifying field that they fill in, by the field's name. `npm run facts` checks that there
 * are no others. Source: upjet's RefFieldName in provider-upjet-aws; AccessEntry, AccountAssignment, CustomerManagedPolicyAttachment.
 */
const RENAMED: Readonly<Record<string, string>> = {
  principalArn: "principalArnFromRole",
  principalId: "principalIdFromGroup",
  name: "policyName",
};

/** Lists the names that references to a field's value begin with, before `Ref`, `Refs` or `Selector`: `subnetIds`, `subnetId`. */
export function referenceStems(field: string): readonly string[] {
  const renamed = RENAMED[field];
  const names = renamed === undefined ? [field] : [field, renamed];
  return field.endsWith("s") ? [...names, field.slice(0, -1)] : names;
}
