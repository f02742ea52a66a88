# terraform apply -var table=ebb-dev
#
# An item is Terraform's as a whole: what `ebb pause` or `ebb apply` writes to it is taken back by the next apply.
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
  description = "The table's name, as the outputs of ebb's stack say."
}

resource "aws_dynamodb_table_item" "entry" {
  for_each = local.entries

  table_name = var.table
  hash_key   = "pk"
  range_key  = "sk"
  item       = jsonencode(each.value)
}
