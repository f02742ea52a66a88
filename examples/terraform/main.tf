# terraform apply -var table=ebb-dev
#
# Terraform owns the whole item: the next `terraform apply` removes what `ebb pause` or `ebb apply` wrote to it.
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "table" {
  type        = string
  description = "The table's name (output TableName of ebb's stack)."
}

resource "aws_dynamodb_table_item" "entry" {
  for_each = local.entries

  table_name = var.table
  hash_key   = "pk"
  range_key  = "sk"
  item       = jsonencode(each.value)
}
