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
    directconnect: ConnectionAssociation(connectionId, lagId)
    dynamodb: ContributorInsights(tableName, indexName) KinesisStreamingDestination(tableName, streamArn)
    ec2: AMILaunchPermission(imageId, accountId, group, organizationArn, organizationalUnitArn)
      DefaultNetworkACL(defaultNetworkAclId) DefaultRouteTable(defaultRouteTableId) DefaultSecurityGroup(vpcId)
      DefaultSubnet(availabilityZone) DefaultVPC() EBSDefaultKMSKey() EBSEncryptionByDefault() InstanceState(instanceId)
      MainRouteTableAssociation(vpcId) NetworkACLRule(networkAclId, ruleNumber, egress)
      NetworkInterfaceSgAttachment(networkInterfaceId, securityGroupId) RouteTableAssociation(routeTableId, subnetId, gatewayId)
      SerialConsoleAccess() SnapshotCreateVolumePermission(snapshotId, accountId) SpotDatafeedSubscription()
      TransitGatewayPeeringAttachmentAccepter(transitGatewayAttachmentId)
      TransitGatewayVPCAttachmentAccepter(transitGatewayAttachmentId) VolumeAttachment(volumeId, instanceId, deviceName)
      VPCDHCPOptionsAssociation(vpcId, dhcpOptionsId) VPCEndpointSecurityGroupAssociation(vpcEndpointId, securityGroupId)
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
      StaticIPAttachment(staticIpName, instanceName)
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
    ssm: DefaultPatchBaseline(operatingSystem, baselineId) PatchGroup(baselineId, patchGroup) ServiceSetting(settingId)
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
      NetworkInterfaceSecurityGroupAssociation(networkInterfaceId, networkSecurityGroupId)
      PrivateEndpointApplicationSecurityGroupAssociation(privateEndpointId, applicationSecurityGroupId)
      SubnetNATGatewayAssociation(subnetId, natGatewayId) SubnetNetworkSecurityGroupAssociation(subnetId, networkSecurityGroupId)
      SubnetRouteTableAssociation(subnetId, routeTableId)
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

/** Fields that identify a kind beside those that its Terraform ID or its references tell. */
export const parents: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
  "aws.upbound.io": read(`
    cloudwatchlogs: AccountPolicy(policyType)
    ec2: SubnetCidrReservation(subnetId) TransitGatewayMulticastDomainAssociation(subnetId)
      VPCIpamPoolCidr(ipamPoolId) VPCIpamPoolCidrAllocation(ipamPoolId)
    efs: MountTarget(subnetId)
    elasticbeanstalk: ApplicationVersion(application)
    kms: Ciphertext(keyId) Grant(keyId)
    opensearchserverless: AccessPolicy(type) LifecyclePolicy(type) SecurityPolicy(type)
    s3control: AccessPoint(bucket)
  `),
  "azure.upbound.io": read(`
    eventhub: EventHub(namespaceId)
    storage: Blob(storageContainerId)
  `),
  "gcp.upbound.io": read(`
    kms: CryptoKeyVersion(cryptoKey) SecretCiphertext(cryptoKey)
    cloudplatform: ServiceAccountKey(serviceAccountId)
    storage: HMACKey(serviceAccountEmail)
  `),
};

/**
 * Kinds to which a reference configures a resource and does not say which one it is, unless its Terraform ID contains it:
 * encryption keys, roles, networks, parameters, where logs and notices go.
 */
export const configuring: ReadonlySet<string> = new Set([
  ..."Bucket.s3 Certificate.acm CertificateValidation.acm InstanceProfile.iam Key.kms".split(" "),
  ..."KeyPair.ec2 LaunchConfiguration.autoscaling PlacementGroup.ec2 Role.iam SchedulingPolicy.batch Subnet.ec2".split(
    " ",
  ),
  ..."SecurityGroup.ec2 Topic.sns MetricAlarm.cloudwatch DeliveryStream.firehose Object.s3 ACL.memorydb VPCIpamPool.ec2".split(
    " ",
  ),
  ..."Subnet.network Key.keyvault Secret.keyvault ServicePlan.web AppServicePlan.web".split(" "),
  ..."CryptoKey.kms ServiceAccount.cloudplatform Subnetwork.compute".split(" "),
]);
