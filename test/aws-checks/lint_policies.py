"""parliament's findings for policies, by the name that each is given under."""

import json
import sys

import parliament

found = {}
for name, document in json.load(sys.stdin)["policies"].items():
    policy = parliament.analyze_policy_string(json.dumps(document))
    found[name] = [f"{finding.issue}: {finding.detail} {finding.location}" for finding in policy.findings]
json.dump(found, sys.stdout)
