/** The external name of a Terraform resource, as upjet's `config.ExternalName` configures it. */
export interface ExternalName {
  /**
   * - `metadata`: it defaults to metadata.name.
   * - `provider`: the cloud makes it up.
   * - `parameters`: it tells nothing that the parameters do not.
   */
  readonly from: "metadata" | "provider" | "parameters";
  /** True if it is the Terraform ID, which the provider reports in status.atProvider.id. */
  readonly isId: boolean;
  /** The Terraform arguments that the ID is made of, beside the external name; `a.b` for an argument of a block. */
  readonly parameters: readonly string[];
}

const provider = (...parameters: readonly string[]): ExternalName => ({ from: "provider", isId: false, parameters });
const metadata = (...parameters: readonly string[]): ExternalName => ({ from: "metadata", isId: false, parameters });
const fields = (...parameters: readonly string[]): ExternalName => ({ from: "parameters", isId: false, parameters });

const ID: ExternalName = { from: "provider", isId: true, parameters: [] };

/**
 * The configuration functions of config/externalname.go that are code of their own, by name, or by Terraform resource where they
 * have none: the facts as their bodies state them. A function that is neither here nor known to external-name.ts stops the
 * generator.
 */
export const customNames: Readonly<Record<string, ExternalName>> = {
  // provider-upjet-aws
  PermissionSetIdAsExternalName: fields("permission_set_arn", "instance_arn"),
  apiGatewayAccount: ID,
  appConfigEnvironment: ID,
  aws_securityhub_product_subscription: fields("product_arn"),
  bedrockAgentCoreAgentRuntimeEndpoint: fields("agent_runtime_id", "name"),
  bedrockAgentCoreResourcePolicy: fields("resource_arn"),
  bedrockAgentCoreTokenVaultCMK: fields("token_vault_id"),
  bedrockGuardrail: provider(),
  codebuildWebhook: fields("project_name"),
  cognitoUserPoolClient: ID,
  dsqlClusterPeering: fields("identifier"),
  ecrRepositoryCreationTemplate: fields("prefix"),
  ecsTaskDefinition: ID,
  eksCapability: fields("cluster_name", "capability_name"),
  eksOIDCIdentityProvider: metadata("cluster_name"),
  eksPodIdentityAssociation: ID,
  iamPolicy: metadata("path"),
  // Adds the user to groups beside those of other memberships, and its list of them changes in place.
  iamUserGroupMembership: provider("user"),
  kmsAlias: metadata(),
  lambdaFunctionURL: fields("function_name", "qualifier"),
  lambdaRuntimeManagementConfig: fields("function_name", "qualifier"),
  mqUser: ID,
  networkmonitorProbe: provider("monitor_name"),
  opensearchserverlessCollection: ID,
  opensearchserverlessCollectionGroup: ID,
  opensearchserverlessVpcEndpoint: ID,
  rdsInstanceState: fields("identifier"),
  route: fields(
    "route_table_id",
    "destination_cidr_block",
    "destination_ipv6_cidr_block",
    "destination_prefix_list_id",
  ),
  s3BucketIdentifier: fields("bucket"),
  s3vectorsPolicyIdentifier: fields("vector_bucket_arn"),
  aws_vpc_endpoint_route_table_association: fields("vpc_endpoint_id", "route_table_id"),
  aws_vpc_endpoint_subnet_association: fields("vpc_endpoint_id", "subnet_id"),
  vpcSecurityGroupRule: ID,
  wafv2WebACLRuleGroupAssociation: fields("web_acl_arn", "rule_name"),
  // provider-upjet-azure
  aiFoundryProjectExternalName: metadata("ai_services_hub_id"),
  apiManagementSubscription: provider("resource_group_name", "api_management_name"),
  keyVaultAccessPolicy: fields("key_vault_id", "object_id", "application_id"),
  keyVaultURLIDConf: provider("key_vault_id"),
  keyVaultURLIDWithoutVersionConfFn: metadata("key_vault_id"),
  managementGroupSubscriptionAssociation: fields("management_group_id", "subscription_id"),
  mongoDatabaseBasedId: metadata("cosmos_mongo_database_id"),
  mssqlManagedInstanceFailoverGroupExternalName: metadata("managed_instance_id", "location"),
  policyDefinitionExternalName: metadata("management_group_id"),
  storageBlob: metadata("storage_account_name", "storage_account_id", "storage_container_name"),
  storageContainer: metadata("storage_account_name", "storage_account_id"),
  storageDataLakeGen2Filesystem: metadata("storage_account_id"),
  storageQueue: metadata("storage_account_name", "storage_account_id"),
  storageShare: metadata("storage_account_name", "storage_account_id"),
  // provider-upjet-gcp
  apigeeEnvgroupAttachment: ID,
  apigeeInstanceAttachment: ID,
  apigeeKeystoresAliasesKeyCertFile: metadata("org_id", "environment", "keystore"),
  apigeeOrganization: ID,
  firewallPolicy: ID,
  google_sql_user: metadata("instance", "host"),
  storageNotification: ID,
};
