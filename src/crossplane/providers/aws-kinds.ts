/**
 * The kinds of provider-upjet-aws that have spec.forProvider.tags, by the service of their API group. Source: its CRDs of
 * v2.7.0, as function-tag-manager v0.9.0 lists them, without those that got the field in v2.7.0.
 */
export const AWS_KINDS = `
accessanalyzer: Analyzer
acm: Certificate
acmpca: CertificateAuthority
amp: RuleGroupNamespace Scraper Workspace
amplify: App Branch
apigateway: APIKey ClientCertificate DomainName RestAPI Stage UsagePlan VPCLink
apigatewayv2: API DomainName Stage VPCLink
appautoscaling: Target
appconfig: Application ConfigurationProfile Deployment DeploymentStrategy Environment Extension
appflow: Flow
appintegrations: EventIntegration
applicationinsights: Application
appmesh: GatewayRoute Mesh Route VirtualGateway VirtualNode VirtualRouter VirtualService
apprunner: AutoScalingConfigurationVersion Connection ObservabilityConfiguration Service VPCConnector
appstream: Fleet ImageBuilder Stack
appsync: GraphQLAPI
athena: DataCatalog Workgroup
backup: Framework Plan ReportPlan Vault
batch: ComputeEnvironment JobDefinition JobQueue SchedulingPolicy
bedrock: Guardrail InferenceProfile
bedrockagent: Agent
bedrockagentcore: APIKeyCredentialProvider AgentRuntime AgentRuntimeEndpoint Browser CodeInterpreter Evaluator
  Gateway Harness Memory Oauth2CredentialProvider OnlineEvaluationConfig PolicyEngine
budgets: Budget BudgetAction
ce: AnomalyMonitor
chime: VoiceConnector
cloud9: EnvironmentEC2
cloudformation: Stack StackSet
cloudfront: Distribution VPCOrigin
cloudtrail: EventDataStore Trail
cloudwatch: CompositeAlarm MetricAlarm MetricStream
cloudwatchevents: Bus Rule
cloudwatchlogs: Destination Group
codeartifact: Domain Repository
codebuild: Project ReportGroup
codecommit: Repository
codeguruprofiler: ProfilingGroup
codepipeline: Codepipeline CustomActionType Webhook
codestarconnections: Connection
codestarnotifications: NotificationRule
cognitoidentity: Pool
cognitoidp: UserPool
configservice: ConfigRule ConfigurationAggregator
connect: ContactFlow ContactFlowModule HoursOfOperation Instance PhoneNumber Queue QuickConnect RoutingProfile
  SecurityProfile User Vocabulary
cur: ReportDefinition
dataexchange: DataSet Revision
datapipeline: Pipeline
datasync: LocationS3 Task
dax: Cluster
deploy: App DeploymentGroup
detective: Graph
devicefarm: DevicePool InstanceProfile NetworkProfile Project TestGridProject
directconnect: Connection Gateway HostedPrivateVirtualInterfaceAccepter HostedPublicVirtualInterfaceAccepter
  HostedTransitVirtualInterfaceAccepter Lag PrivateVirtualInterface PublicVirtualInterface TransitVirtualInterface
dlm: LifecyclePolicy
dms: Certificate Endpoint EventSubscription ReplicationInstance ReplicationSubnetGroup ReplicationTask S3Endpoint
docdb: Cluster ClusterInstance ClusterParameterGroup EventSubscription SubnetGroup
ds: Directory
dsql: Cluster
dynamodb: Table TableReplica
ec2: AMI AMICopy CapacityBlockReservation CapacityReservation CarrierGateway CustomerGateway DefaultNetworkACL
  DefaultRouteTable DefaultSecurityGroup DefaultSubnet DefaultVPC DefaultVPCDHCPOptions EBSSnapshot EBSSnapshotCopy
  EBSSnapshotImport EBSVolume EIP EgressOnlyInternetGateway Fleet FlowLog Host Instance InternetGateway KeyPair
  LaunchTemplate ManagedPrefixList NATGateway NetworkACL NetworkInsightsAnalysis NetworkInsightsPath
  NetworkInterface PlacementGroup RouteTable SecurityGroup SecurityGroupEgressRule SecurityGroupIngressRule
  SpotFleetRequest SpotInstanceRequest Subnet TrafficMirrorFilter TransitGateway TransitGatewayConnect
  TransitGatewayConnectPeer TransitGatewayMulticastDomain TransitGatewayPeeringAttachment
  TransitGatewayPeeringAttachmentAccepter TransitGatewayPolicyTable TransitGatewayRouteTable
  TransitGatewayVPCAttachment TransitGatewayVPCAttachmentAccepter VPC VPCDHCPOptions VPCEndpoint VPCEndpointService
  VPCIpam VPCIpamPool VPCIpamScope VPCPeeringConnection VPCPeeringConnectionAccepter VPNConnection VPNGateway
ecr: Repository
ecrpublic: Repository
ecs: CapacityProvider Cluster Service TaskDefinition
efs: AccessPoint FileSystem
eks: AccessEntry Addon Capability Cluster FargateProfile IdentityProviderConfig NodeGroup PodIdentityAssociation
elasticache: Cluster ParameterGroup ReplicationGroup ServerlessCache SubnetGroup User UserGroup
elasticbeanstalk: Application ApplicationVersion
elasticsearch: Domain
elb: ELB
elbv2: LB LBListener LBListenerRule LBTargetGroup LBTrustStore
emrcontainers: VirtualCluster
emrserverless: Application
evidently: Feature Project Segment
firehose: DeliveryStream
fis: ExperimentTemplate
fsx: Backup DataRepositoryAssociation LustreFileSystem OntapFileSystem OntapStorageVirtualMachine WindowsFileSystem
gamelift: Alias Build Fleet GameSessionQueue Script
glacier: Vault
globalaccelerator: Accelerator
glue: CatalogDatabase Connection Crawler Job Registry Schema Trigger Workflow
grafana: Workspace
guardduty: Detector Filter MalwareProtectionPlan
iam: InstanceProfile OpenIDConnectProvider Policy Role SAMLProvider ServerCertificate ServiceLinkedRole User
  VirtualMfaDevice
imagebuilder: Component ContainerRecipe DistributionConfiguration Image ImagePipeline ImageRecipe
  InfrastructureConfiguration
inspector: AssessmentTemplate ResourceGroup
iot: Authorizer DomainConfiguration Policy ProvisioningTemplate RoleAlias ThingGroup ThingType TopicRule
ivs: Channel RecordingConfiguration
kafka: Cluster Replicator ServerlessCluster VPCConnection
kafkaconnect: Connector CustomPlugin WorkerConfiguration
kendra: DataSource Index QuerySuggestionsBlockList Thesaurus
keyspaces: Keyspace Table
kinesis: Stream StreamConsumer
kinesisanalytics: Application
kinesisanalyticsv2: Application
kinesisvideo: Stream
kms: ExternalKey Key ReplicaExternalKey ReplicaKey
lambda: CodeSigningConfig EventSourceMapping Function
licensemanager: LicenseConfiguration
lightsail: Bucket Certificate ContainerService Disk Instance KeyPair LB
location: GeofenceCollection PlaceIndex RouteCalculator Tracker
macie2: ClassificationJob CustomDataIdentifier FindingsFilter Member
mediaconvert: Queue
medialive: Channel Input InputSecurityGroup Multiplex
mediapackage: Channel
mediastore: Container
memorydb: ACL Cluster MultiRegionCluster ParameterGroup Snapshot SubnetGroup User
mq: Broker Configuration
mwaa: Environment
neptune: Cluster ClusterEndpoint ClusterInstance ClusterParameterGroup EventSubscription ParameterGroup SubnetGroup
networkfirewall: Firewall FirewallPolicy RuleGroup
networkmanager: ConnectAttachment Connection CoreNetwork Device GlobalNetwork Link Site VPCAttachment
networkmonitor: Monitor Probe
oam: Sink
opensearch: Domain
opensearchserverless: Collection CollectionGroup
organizations: Account OrganizationalUnit Policy
osis: Pipeline
pinpoint: App
pipes: Pipe
qldb: Ledger Stream
ram: ResourceShare
rds: Cluster ClusterEndpoint ClusterInstance ClusterParameterGroup ClusterSnapshot DBSnapshotCopy EventSubscription
  GlobalCluster Instance OptionGroup ParameterGroup Proxy ProxyEndpoint Snapshot SubnetGroup
redshift: Cluster EventSubscription HSMClientCertificate HSMConfiguration ParameterGroup SnapshotCopyGrant
  SnapshotSchedule SubnetGroup UsageLimit
redshiftserverless: RedshiftServerlessNamespace Workgroup
resourcegroups: Group
rolesanywhere: Profile
route53: HealthCheck Zone
route53profiles: Association Profile
route53recoverycontrolconfig: Cluster ControlPanel SafetyRule
route53recoveryreadiness: Cell ReadinessCheck RecoveryGroup ResourceSet
route53resolver: Endpoint QueryLogConfig Rule
rum: AppMonitor
s3: Bucket BucketObject DirectoryBucket Object ObjectCopy
s3control: AccessPoint StorageLensConfiguration
s3vectors: Index VectorBucket
sagemaker: App AppImageConfig CodeRepository DeviceFleet Domain Endpoint EndpointConfiguration FeatureGroup Image
  MlflowTrackingServer Model ModelPackageGroup NotebookInstance NotebookInstanceLifecycleConfiguration Space
  StudioLifecycleConfig UserProfile Workteam
scheduler: ScheduleGroup
schemas: Discoverer Registry Schema
secretsmanager: Secret
serverlessrepo: CloudFormationStack
servicecatalog: Portfolio Product
servicediscovery: HTTPNamespace PrivateDNSNamespace PublicDNSNamespace Service
sesv2: ConfigurationSet DedicatedIPPool EmailIdentity
sfn: Activity StateMachine
signer: SigningProfile
sns: Topic
sqs: Queue
ssm: Activation Association Document MaintenanceWindow Parameter PatchBaseline
ssoadmin: PermissionSet
swf: Domain
timestreaminfluxdb: DBCluster DBInstance
timestreamwrite: Database Table
transcribe: LanguageModel Vocabulary VocabularyFilter
transfer: Connector Server User Workflow
verifiedaccess: Endpoint Group Instance TrustProvider
vpclattice: AccessLogSubscription Listener ListenerRule ResourceConfiguration ResourceGateway Service ServiceNetwork
  ServiceNetworkResourceAssociation ServiceNetworkServiceAssociation ServiceNetworkVPCAssociation TargetGroup
waf: RateBasedRule Rule WebACL
wafregional: RateBasedRule Rule WebACL
wafv2: IPSet RegexPatternSet RuleGroup WebACL
workspaces: Directory IPGroup
xray: Group SamplingRule
`;
