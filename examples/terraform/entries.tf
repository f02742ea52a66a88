# A cluster, a metric source and an HPA as items of ebb's table (docs/entries.md): S is text, N a number, M a map, L a list.
locals {
  entries = {
    cluster = {
      pk = { S = "CLUSTER#prod" }
      sk = { S = "CLUSTER" }
      spec = { M = {
        # With an EKS data source: data.aws_eks_cluster.prod.endpoint and .certificate_authority[0].data
        endpoint                 = { S = "https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com" }
        certificateAuthorityData = { S = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJmekNDQVNXZ0F3SUJBZ0lVTDdaeTEzL1g3QjdhSUZzSmNmcE14aVlUUHRNd0NnWUlLb1pJemowRUF3SXcKRlRFVE1CRUdBMVVFQXd3S2EzVmlaWEp1WlhSbGN6QWVGdzB5TmpFeE1qRXdPRFU1TXpkYUZ3MHpOakV4TVRndwpPRFU1TXpkYU1CVXhFekFSQmdOVkJBTU1DbXQxWW1WeWJtVjBaWE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPClBRTUJCd05DQUFSRVozUVp0b1FCQXFqTVVoVUtMWXJVWXJtbWRScVdvQSthdnRIalZSQlphbE5ZWVlISHZndmQKNkg3Q1doVmFJY2Q3ZXd0Z2NGV2ZjWEx1TnJsUTAvem9vMU13VVRBZEJnTlZIUTRFRmdRVXNjR0lqaFV1am00VwpmK0ZscEJsdkhQbVg5MFl3SHdZRFZSMGpCQmd3Rm9BVXNjR0lqaFV1am00V2YrRmxwQmx2SFBtWDkwWXdEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBNUFSRGJyUVpNQmtVRFhWUU9iUzIKbFNNc3BzWFZNYWtrc09XOXdOVTg2azRDSUVIRDVvY2IzaFppVllwUVpYMy9UblJXNEUrSjNUZFVqOHJFbngzUAp1b0xyCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K" }
        auth = { M = {
          type        = { S = "eks" }
          clusterName = { S = "prod" }
          region      = { S = "eu-central-1" }
        } }
        options = { M = { syncPeriodSeconds = { N = "15" } } }
      } }
    }

    queue_age = {
      pk = { S = "CLUSTER#prod" }
      sk = { S = "SOURCE#queue-age" }
      spec = { M = {
        kind = { S = "cloudwatch" }
        parameters = { M = {
          namespace  = { S = "AWS/SQS" }
          metricName = { S = "ApproximateAgeOfOldestMessage" }
          statistic  = { S = "Maximum" }
          period     = { N = "60" }
        } }
      } }
    }

    order_worker = {
      pk = { S = "CLUSTER#prod" }
      sk = { S = "HPA#shop/order-worker" }
      spec = { M = {
        scaleTargetRef = { M = {
          apiVersion = { S = "apps/v1" }
          kind       = { S = "Deployment" }
          name       = { S = "order-worker" }
        } }
        minReplicas = { N = "0" }
        maxReplicas = { N = "20" }
        metrics = { L = [
          { M = {
            type = { S = "External" }
            external = { M = {
              metric = { M = {
                name     = { S = "sqs" }
                selector = { M = { matchLabels = { M = { queue = { S = "orders" } } } } }
              } }
              target = { M = {
                type         = { S = "AverageValue" }
                averageValue = { S = "5" }
              } }
            } }
          } },
        ] }
      } }
    }
  }
}
