/**
 * Rights that a resource needs only for a property which the stack does not use, by type and property. The test fails
 * when a template has the property: then the role that deploys needs these rights, too.
 */
export const unusedRights: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "AWS::DynamoDB::Table": {
    KinesisStreamSpecification: [
      ...["Enable", "Disable", "Update"].map((verb) => `dynamodb:${verb}KinesisStreamingDestination`),
      ...["kinesis:DescribeStream", "kinesis:PutRecords"],
    ],
    ImportSourceSpecification: [
      ...["dynamodb:ImportTable", "dynamodb:DescribeImport", "s3:GetObject", "s3:GetObjectMetadata", "s3:ListBucket"],
      ...["CreateLogGroup", "CreateLogStream", "DescribeLogGroups", "DescribeLogStreams"].map((name) => `logs:${name}`),
      ...["logs:PutLogEvents", "logs:PutRetentionPolicy"],
    ],
    ContributorInsightsSpecification: ["dynamodb:UpdateContributorInsights"],
    ResourcePolicy: ["dynamodb:PutResourcePolicy", "dynamodb:DeleteResourcePolicy"],
    Replicas: [
      ...["CreateTableReplica", "AssociateTableReplica", "Scan", "Query", "GetItem"].map((name) => `dynamodb:${name}`),
      ...["UpdateItem", "PutItem", "DeleteItem", "BatchWriteItem"].map((name) => `dynamodb:${name}`),
      "iam:CreateServiceLinkedRole",
    ],
  },
  "AWS::IAM::Role": {
    ManagedPolicyArns: ["iam:AttachRolePolicy", "iam:DetachRolePolicy"],
    MaxSessionDuration: ["iam:UpdateRole"],
    Description: ["iam:UpdateRoleDescription"],
  },
  "AWS::Lambda::EventSourceMapping": {
    KmsKeyArn: ["kms:DescribeKey", "kms:GenerateDataKey", "kms:Decrypt"],
  },
  "AWS::Lambda::Function": {
    FileSystemConfigs: ["elasticfilesystem:DescribeMountTargets", "s3files:ListMountTargets"],
    CodeSigningConfigArn: [
      ...["lambda:GetCodeSigningConfig", "lambda:PutFunctionCodeSigningConfig"],
      "lambda:DeleteFunctionCodeSigningConfig",
    ],
    Layers: ["lambda:GetLayerVersion"],
    RuntimeManagementConfig: ["lambda:PutRuntimeManagementConfig"],
    RecursiveLoop: ["lambda:PutFunctionRecursionConfig"],
    FunctionScalingConfig: ["lambda:PutFunctionScalingConfig", "lambda:PublishVersion", "lambda:AssociateRuntimeAlias"],
    CapacityProviderConfig: ["lambda:PassCapacityProvider"],
    S3ObjectVersion: ["s3:GetObjectVersion"],
  },
  "AWS::Logs::LogGroup": {
    DataProtectionPolicy: [
      ...["logs:PutDataProtectionPolicy", "logs:DeleteDataProtectionPolicy", "logs:CreateLogDelivery"],
      ...["s3:REST.PUT.OBJECT", "firehose:TagDeliveryStream"],
    ],
    ResourcePolicyDocument: ["logs:PutResourcePolicy", "logs:DeleteResourcePolicy"],
    FieldIndexPolicies: ["logs:PutIndexPolicy", "logs:DeleteIndexPolicy"],
    BearerTokenAuthenticationEnabled: ["logs:PutBearerTokenAuthentication"],
    DeletionProtectionEnabled: ["logs:PutLogGroupDeletionProtection"],
  },
  "AWS::S3::Bucket": {
    AbacStatus: ["s3:PutBucketAbac"],
    AccelerateConfiguration: ["s3:PutAccelerateConfiguration"],
    AccessControl: ["s3:PutBucketAcl", "s3:PutObjectAcl"],
    AnalyticsConfigurations: ["s3:PutAnalyticsConfiguration", "s3:DeleteBucketAnalyticsConfiguration"],
    CorsConfiguration: ["s3:PutBucketCORS", "s3:DeleteBucketCors"],
    IntelligentTieringConfigurations: ["s3:PutIntelligentTieringConfiguration"],
    InventoryConfigurations: ["s3:PutInventoryConfiguration"],
    LifecycleConfiguration: ["s3:PutLifecycleConfiguration", "s3:DeleteBucketLifecycle"],
    LoggingConfiguration: ["s3:PutBucketLogging"],
    MetadataConfiguration: [
      ...["s3:CreateBucketMetadataTableConfiguration", "s3:DeleteBucketMetadataTableConfiguration"],
      ...["Journal", "Inventory", "Annotation"].map((name) => `s3:UpdateBucketMetadata${name}TableConfiguration`),
      ...["CreateNamespace", "CreateTable", "CreateTableBucket", "GetTable"].map((name) => `s3tables:${name}`),
      ...["PutTableBucketPolicy", "PutTableEncryption", "PutTablePolicy"].map((name) => `s3tables:${name}`),
      ...["GetTableMetadataLocation", "UpdateTableMetadataLocation"].map((name) => `s3tables:${name}`),
    ],
    MetricsConfigurations: ["s3:PutMetricsConfiguration", "s3:DeleteBucketMetricsConfiguration"],
    NotificationConfiguration: ["s3:PutBucketNotification"],
    ObjectLockConfiguration: ["s3:PutBucketObjectLockConfiguration", "s3:PutObjectLockConfiguration"],
    OwnershipControls: ["s3:PutBucketOwnershipControls"],
    ReplicationConfiguration: [
      ...["s3:PutBucketReplication", "s3:PutReplicationConfiguration", "s3:DeleteBucketReplication", "iam:PassRole"],
      "s3:DeleteObject",
    ],
    VersioningConfiguration: ["s3:PutBucketVersioning"],
    WebsiteConfiguration: ["s3:PutBucketWebsite", "s3:DeleteBucketWebsite"],
  },
};
