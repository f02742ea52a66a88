"""The rights that CloudFormation's schemas say each type of resource needs, from create to delete. cfn-lint ships them."""

import json
import os
import sys

import cfnlint

asked = json.load(sys.stdin)
schemas = os.path.join(os.path.dirname(cfnlint.__file__), "data", "schemas")
with open(os.path.join(schemas, "providers", f"{asked['region']}.json"), encoding="utf-8") as file:
    providers = json.load(file)
rights = {}
for kind in asked["types"]:
    with open(os.path.join(schemas, "resources", f"{providers[kind]}.json"), encoding="utf-8") as file:
        handlers = json.load(file)["handlers"]
    needed = {right for name, handler in handlers.items() if name != "list" for right in handler.get("permissions", [])}
    rights[kind] = sorted(needed)
json.dump(rights, sys.stdout)
