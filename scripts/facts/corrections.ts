/**
 * Facts that neither the CRDs nor the tables of config/externalname.go contain. Sources: the comments of config/externalname.go,
 * which quote how Terraform imports a resource, and the clouds' API references.
 */

/** Reads a table of lines `service: Kind(field, …) Kind(…)`; a kind without fields is alone in its region or project. */
function read(table: string): ReadonlyMap<string, readonly string[]> {
  const entries = table.matchAll(/(?<service>[a-z0-9-]+):|(?<kind>\w+)\((?<fields>[^)]*)\)/g);
  const found = new Map<string, readonly string[]>();
  let service = "";
  for (const { groups } of entries) {
    const { kind, fields = "" } = groups ?? {};
    if (kind === undefined) service = groups?.["service"] ?? "";
    else found.set(`${kind}.${service}`, fields.split(/[\s,]+/).filter(Boolean));
  }
  return found;
}

/**
 * Kinds that are settings of another resource, or an association of two: there is one for each value of these fields, and whoever
 * declares it a second time overwrites the first. Their external name adds nothing.
 */
export const associations: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
  "aws.upbound.io": read(`
    acmpca: CertificateAuthorityCertificate(certificateAuthorityArn) Permission(certificateAuthorityArn, principal)
      Policy(resourceArn)
    account: PrimaryContact(accountId)
    amp: AlertManagerDefinition(workspaceId)
    apigateway: Account()
    appautoscaling: Target(serviceNamespace, resourceId, scalableDimension)
    appsync: APICache(apiId)
    autoscaling: Attachment(autoscalingGroupName, elb, lbTargetGroupArn, albTargetGroupArn)
      GroupTag(autoscalingGroupName, tag.key)
    backup: GlobalSettings() RegionSettings() VaultLockConfiguration(backupVaultName) VaultNotifications(backupVaultName)
      VaultPolicy(backupVaultName)
    chime: VoiceConnectorLogging(voiceConnectorId) VoiceConnectorOrigination(voiceConnectorId)
      VoiceConnectorStreaming(voiceConnectorId) VoiceConnectorTermination(voiceConnectorId)
      VoiceConnectorTerminationCredentials(voiceConnectorId)
    cloudfront: MonitoringSubscription(distributionId)
    cloudsearch: DomainServiceAccessPolicy(domainName)
    cloudwatchevents: BusPolicy(eventBusName)
    cloudwatchlogs: SubscriptionFilter(logGroupName, name)
    cognitoidentity: CognitoIdentityPoolProviderPrincipalTag(identityPoolId, identityProviderName)
      PoolRolesAttachment(identityPoolId)
    cognitoidp: RiskConfiguration(userPoolId, clientId) UserInGroup(userPoolId, groupName, username)
      UserPoolUICustomization(userPoolId, clientId)
    directconnect: ConnectionAssociation(connectionId)
    dynamodb: ContributorInsights(tableName, indexName) KinesisStreamingDestination(tableName, streamArn)
    ec2: AMILaunchPermission(imageId, accountId, group, organizationArn, organizationalUnitArn)
      DefaultNetworkACL(defaultNetworkAclId) DefaultRouteTable(defaultRouteTableId) DefaultSecurityGroup(vpcId)
      DefaultSubnet(availabilityZone) DefaultVPC() EBSDefaultKMSKey() EBSEncryptionByDefault() InstanceState(instanceId)
      MainRouteTableAssociation(vpcId) NetworkACLRule(networkAclId, ruleNumber, egress)
      NetworkInterfaceSgAttachment(networkInterfaceId, securityGroupId) RouteTableAssociation(subnetId, gatewayId)
      SerialConsoleAccess() SnapshotCreateVolumePermission(snapshotId, accountId) SpotDatafeedSubscription()
      TransitGatewayPeeringAttachmentAccepter(transitGatewayAttachmentId)
      TransitGatewayVPCAttachmentAccepter(transitGatewayAttachmentId) VolumeAttachment(volumeId, instanceId, deviceName)
      VPCDHCPOptionsAssociation(vpcId) VPCEndpointSecurityGroupAssociation(vpcEndpointId, securityGroupId)
      VPCEndpointServiceAllowedPrincipal(vpcEndpointServiceId, principalArn)
      VPCPeeringConnectionAccepter(vpcPeeringConnectionId) VPCPeeringConnectionOptions(vpcPeeringConnectionId)
      VPNConnectionRoute(vpnConnectionId, destinationCidrBlock) VPNGatewayAttachment(vpnGatewayId, vpcId)
      VPNGatewayRoutePropagation(vpnGatewayId, routeTableId)
    ecr: LifecyclePolicy(repository) PullThroughCacheRule(ecrRepositoryPrefix) RegistryPolicy() RegistryScanningConfiguration()
      ReplicationConfiguration() RepositoryPolicy(repository)
    ecrpublic: RepositoryPolicy(repositoryName)
    ecs: AccountSettingDefault(name) ClusterCapacityProviders(clusterName)
    efs: BackupPolicy(fileSystemId) FileSystemPolicy(fileSystemId)
    elasticsearch: DomainPolicy(domainName)
    elb: Attachment(elb, instance) BackendServerPolicy(loadBalancerName, instancePort)
      ListenerPolicy(loadBalancerName, loadBalancerPort) ProxyProtocolPolicy(loadBalancer)
    elbv2: LBListenerCertificate(listenerArn, certificateArn)
      LBTargetGroupAttachment(targetGroupArn, targetId, port, availabilityZone)
    glue: DataCatalogEncryptionSettings(catalogId) ResourcePolicy()
    grafana: RoleAssociation(workspaceId, role)
    iam: GroupPolicyAttachment(group, policyArn) RolePolicyAttachment(role, policyArn) UserLoginProfile(user)
      UserPolicyAttachment(user, policyArn)
    iot: IndexingConfiguration() LoggingOptions() PolicyAttachment(policy, target) ThingPrincipalAttachment(thing, principal)
    kafka: ScramSecretAssociation(clusterArn)
    lakeformation: DataLakeSettings(catalogId) Resource(arn)
    lambda: FunctionEventInvokeConfig(functionName, qualifier) ProvisionedConcurrencyConfig(functionName, qualifier)
    lightsail: DiskAttachment(diskName, instanceName) InstancePublicPorts(instanceName) LBAttachment(lbName, instanceName)
      StaticIPAttachment(staticIpName)
    location: TrackerAssociation(trackerName, consumerArn)
    macie2: Account()
    networkfirewall: LoggingConfiguration(firewallArn)
    opensearch: DomainPolicy(domainName) DomainSAMLOptions(domainName)
    rds: ClusterActivityStream(resourceArn) InstanceRoleAssociation(dbInstanceIdentifier, roleArn, featureName)
      ProxyDefaultTargetGroup(dbProxyName)
      ProxyTarget(dbProxyName, targetGroupName, dbInstanceIdentifier, dbClusterIdentifier)
    redshift: SnapshotScheduleAssociation(clusterIdentifier, scheduleIdentifier)
    redshiftserverless: ResourcePolicy(resourceArn)
    route53: HostedZoneDNSSEC(hostedZoneId) Record(zoneId, name, type, setIdentifier) ResolverConfig(resourceId)
    route53resolver: DNSSECConfig(resourceId) QueryLogConfigAssociation(resolverQueryLogConfigId, resourceId)
      RuleAssociation(resolverRuleId, vpcId)
    s3: BucketACL(bucket) BucketAccelerateConfiguration(bucket) BucketCorsConfiguration(bucket) BucketLogging(bucket)
      BucketNotification(bucket) BucketObject(bucket, key) BucketObjectLockConfiguration(bucket) BucketOwnershipControls(bucket)
      BucketPolicy(bucket) BucketPublicAccessBlock(bucket) BucketReplicationConfiguration(bucket)
      BucketRequestPaymentConfiguration(bucket) BucketServerSideEncryptionConfiguration(bucket) BucketVersioning(bucket)
      BucketWebsiteConfiguration(bucket) ObjectCopy(bucket, key)
    s3control: AccessPointPolicy(accessPointArn) AccountPublicAccessBlock(accountId) ObjectLambdaAccessPointPolicy(accountId, name)
      StorageLensConfiguration(accountId, configId)
    sagemaker: ModelPackageGroupPolicy(modelPackageGroupName) ServicecatalogPortfolioStatus()
    secretsmanager: SecretPolicy(secretArn) SecretRotation(secretId)
    servicecatalog: BudgetResourceAssociation(budgetName, resourceId) PortfolioShare(portfolioId, type, principalId)
      PrincipalPortfolioAssociation(portfolioId, principalArn) ProductPortfolioAssociation(portfolioId, productId)
    ses: ActiveReceiptRuleSet() DomainMailFrom(domain) EmailIdentity(email)
      IdentityNotificationTopic(identity, notificationType) IdentityPolicy(identity, name)
    sns: SMSPreferences()
    sqs: QueuePolicy(queueUrl) QueueRedriveAllowPolicy(queueUrl) QueueRedrivePolicy(queueUrl)
    ssm: DefaultPatchBaseline(operatingSystem) PatchGroup(baselineId, patchGroup) ServiceSetting(settingId)
    transfer: Tag(resourceArn, key)
    verifiedaccess: InstanceLoggingConfiguration(verifiedaccessInstanceId)
      InstanceTrustProviderAttachment(verifiedaccessInstanceId, verifiedaccessTrustProviderId)
    vpclattice: AuthPolicy(resourceIdentifier) ResourcePolicy(resourceArn)
    xray: EncryptionConfig()
  `),
  "azure.upbound.io": read(`
    apimanagement: GatewayAPI(gatewayId, apiId) IdentityProviderFacebook(resourceGroupName, apiManagementName)
      IdentityProviderGoogle(resourceGroupName, apiManagementName)
      IdentityProviderMicrosoft(resourceGroupName, apiManagementName)
      IdentityProviderTwitter(resourceGroupName, apiManagementName)
    cdn: FrontdoorCustomDomainAssociation(cdnFrontdoorCustomDomainId)
    compute: VirtualMachineDataDiskAttachment(virtualMachineId, managedDiskId)
    dbforpostgresql: Configuration(resourceGroupName, serverName, name) FlexibleServerConfiguration(serverId, name)
    desktopvirtualization: VirtualDesktopWorkspaceApplicationGroupAssociation(workspaceId, applicationGroupId)
    network: NATGatewayPublicIPAssociation(natGatewayId, publicIpAddressId)
      NATGatewayPublicIPPrefixAssociation(natGatewayId, publicIpPrefixId)
      NetworkInterfaceApplicationSecurityGroupAssociation(networkInterfaceId, applicationSecurityGroupId)
      NetworkInterfaceBackendAddressPoolAssociation(networkInterfaceId, ipConfigurationName, backendAddressPoolId)
      NetworkInterfaceNatRuleAssociation(networkInterfaceId, ipConfigurationName, natRuleId)
      NetworkInterfaceSecurityGroupAssociation(networkInterfaceId)
      PrivateEndpointApplicationSecurityGroupAssociation(privateEndpointId, applicationSecurityGroupId)
      SubnetNATGatewayAssociation(subnetId) SubnetNetworkSecurityGroupAssociation(subnetId)
      SubnetRouteTableAssociation(subnetId)
    security: StorageDefender(storageAccountId)
    signalrservice: NetworkACL(signalrServiceId) WebPubsubNetworkACL(webPubsubId)
    storage: AccountNetworkRules(storageAccountId) BlobInventoryPolicy(storageAccountId)
    web: AppActiveSlot(slotId) FunctionAppActiveSlot(slotId)
  `),
  "gcp.upbound.io": read(`
    cloudplatform: ProjectIAMAuditConfig(service) ProjectService(service) ProjectUsageExportBucket()
    compute: AttachedDisk(disk, instance) DiskResourcePolicyAttachment(disk, name) NetworkPeeringRoutesConfig(network, peering)
      RegionDiskResourcePolicyAttachment(disk, name) SharedVPCHostProject() SharedVPCServiceProject(hostProject, serviceProject)
    dns: RecordSet(managedZone, name, type)
    servicenetworking: Connection(network, service)
    storage: BucketACL(bucket) BucketAccessControl(bucket, entity) BucketObject(bucket, name) DefaultObjectACL(bucket)
      DefaultObjectAccessControl(bucket, entity) ObjectACL(bucket, object) ObjectAccessControl(bucket, object, entity)
  `),
};

/**
 * Kinds whose name no other account can have, and in parentheses the field by which others of the service name such a one as their
 * parent: these are unique as well. Sources: bucketnamingrules.html of Amazon S3's user guide and cognito-user-pools-assign-domain-prefix.html
 * (unique in a region); cloud.google.com/storage/docs/buckets and resource-manager/docs/creating-managing-projects; the scope "global" in
 * learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules.
 */
export const unique: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
  "aws.upbound.io": read("cognitoidp: UserPoolDomain() s3: Bucket(bucket)"),
  "aws.crossplane.io": read("cognitoidentityprovider: UserPoolDomain() s3: Bucket(bucketName)"),
  "azure.upbound.io": read(`
    apimanagement: Management(apiManagementName) appconfiguration: Configuration() cache: RedisCache(redisCacheName)
    containerregistry: Registry(containerRegistryName) cosmosdb: Account(accountName) datafactory: Factory()
    dbformysql: FlexibleServer(serverName) dbforpostgresql: FlexibleServer(serverName) Server(serverName)
    devices: IOTHub(iothubName) IOTHubDPS(iotDpsName) eventhub: EventHubNamespace(namespaceName) keyvault: Vault()
    notificationhubs: NotificationHubNamespace(namespaceName) relay: EventRelayNamespace(namespaceName) search: Service()
    servicebus: ServiceBusNamespace() signalrservice: Service() sql: MSSQLServer(serverName)
    storage: Account(storageAccountName) synapse: Workspace()
    web: LinuxFunctionApp() LinuxWebApp() WindowsFunctionApp() WindowsWebApp()
  `),
  "gcp.upbound.io": read("cloudplatform: Project() storage: Bucket(bucket)"),
};

/**
 * Kinds of whose creation the cloud makes sure that it happens once: a second one with the same values of these fields returns what exists,
 * although the provider reports another external name. Sources: CreateQueue of Amazon SQS; CreateTopic and Subscribe of Amazon SNS.
 */
export const idempotent: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
  "aws.upbound.io": read("sns: TopicSubscription(topicArn, protocol, endpoint) sqs: Queue(name)"),
  "aws.crossplane.io": read("sns: Subscription(topicArn, protocol, endpoint) Topic(name)"),
};

/**
 * Parents, for a kind whose Terraform ID does not say them: it is unique below them only, or is made of arguments that the CRD calls
 * otherwise or omits. A field that its provider updates in place is none, whatever it refers to.
 */
export const parents: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
  "aws.upbound.io": read(`
    apigateway: Authorizer(restApiId) Deployment(restApiId) Model(restApiId) RequestValidator(restApiId) Resource(restApiId)
      UsagePlanKey(usagePlanId)
    apigatewayv2: APIMapping(domainName) Authorizer(apiId) Deployment(apiId) Integration(apiId)
      IntegrationResponse(apiId, integrationId) Model(apiId) Route(apiId) RouteResponse(apiId, routeId) Stage(apiId)
    appautoscaling: ScheduledAction(scalableDimension)
    bedrockagentcore: GatewayTarget(gatewayIdentifier) MemoryStrategy(memoryId) Policy(policyEngineId)
    cloudwatchlogs: AccountPolicy(policyType) MetricFilter(logGroupName) Stream(logGroupName)
    deploy: App()
    eks: ClusterAuth(clusterName) PodIdentityAssociation(clusterName)
    elasticbeanstalk: ApplicationVersion(application) ConfigurationTemplate(application)
    iam: GroupMembership(group)
    kms: Ciphertext(keyId)
    lambda: Permission(functionName, qualifier)
    mq: User(brokerId)
    opensearchserverless: AccessPolicy(type) LifecyclePolicy(type) SecurityPolicy(type)
    ses: EventDestination(configurationSetName)
  `),
  "aws.crossplane.io": read(`
    acmpca: CertificateAuthorityPermission(certificateAuthorityARN)
    apigateway: Authorizer(restApiId) BasePathMapping(domainName) Deployment(restApiId) DocumentationPart(restApiId)
      DocumentationVersion(restApiId) GatewayResponse(restApiId) Integration(restApiId, resourceId, httpMethod)
      IntegrationResponse(restApiId, resourceId, httpMethod) Method(restApiId, resourceId)
      MethodResponse(restApiId, resourceId, httpMethod) Model(restApiId) RequestValidator(restApiId) Resource(restApiId)
      Stage(restApiId) UsagePlanKey(restApiId)
    apigatewayv2: APIMapping(domainName) Authorizer(apiId) Deployment(apiId) Integration(apiId)
      IntegrationResponse(apiId, integrationId) Model(apiId) Route(apiId) RouteResponse(apiId, routeId) Stage(apiId)
    cognitoidentityprovider: Group(userPoolId) GroupUserMembership(groupname, userPoolId) IdentityProvider(userPoolId)
      ResourceServer(userPoolId) UserPoolClient(userPoolId)
    ec2: LaunchTemplateVersion(launchTemplateId, launchTemplateName) Route(routeTableId)
      TransitGatewayRoute(transitGatewayRouteTableId)
    ecr: LifecyclePolicy(repositoryName) RepositoryPolicy(repositoryName)
    ecs: Service(cluster)
    eks: Addon(clusterName) FargateProfile(clusterName) IdentityProviderConfig(clusterName) NodeGroup(clusterName)
    elasticloadbalancing: ELBAttachment(elbName)
    elbv2: Target(targetGroupArn)
    emrcontainers: JobRun(virtualClusterId)
    iam: GroupPolicyAttachment(groupName, policyArn) GroupUserMembership(groupName, userName) RolePolicy(roleName)
      RolePolicyAttachment(roleName, policyArn) UserPolicyAttachment(userName, policyArn)
    kms: Grant(keyId)
    lambda: FunctionURLConfig(functionName) Permission(functionName)
    mq: User(brokerID)
    prometheusservice: AlertManagerDefinition(workspaceId) RuleGroupsNamespace(workspaceId)
    rds: DBInstanceRoleAssociation(dbInstanceIdentifier)
    route53: ResourceRecordSet(zoneId, type, setIdentifier)
    s3: BucketPolicy(bucketName)
    transfer: User(serverID)
  `),
  "azure.upbound.io": read(`
    cache: RedisLinkedServer(linkedRedisCacheId)
    costmanagement: ResourceGroupCostManagementExport(resourceGroupId)
    devices: IOTHubDPSCertificate(iotDpsName)
    eventhub: EventHub(namespaceId)
    network: VirtualNetworkDNSServers(virtualNetworkId)
    storage: Blob(storageContainerId)
    storagecache: HPCCacheAccessPolicy()
    streamanalytics: FunctionJavascriptUda(streamAnalyticsJobId) OutputBlob(streamAnalyticsJobName)
      OutputFunction(streamAnalyticsJobName) OutputPowerBI(streamAnalyticsJobId)
  `),
  "gcp.upbound.io": read(`
    compute: BackendBucketSignedURLKey(name) BackendServiceSignedURLKey(name)
    kms: SecretCiphertext(cryptoKey)
  `),
};
