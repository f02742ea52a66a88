"""The official client on the cluster of a kubeconfig: what it prints must not depend on the server."""

import json
import sys

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config(config_file=sys.argv[1])
core = client.CoreV1Api()
apps = client.AppsV1Api()
namespace = "python"
core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=namespace)))


def deployment(name, replicas):
    labels = {"app": name}
    container = client.V1Container(name="main", image="example.com/main:1")
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
    )
    spec = client.V1DeploymentSpec(
        replicas=replicas, selector=client.V1LabelSelector(match_labels=labels), template=template
    )
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec)


def refused(what, call):
    try:
        call()
        print(what, "accepted")
    except ApiException as error:
        print(what, error.status, json.loads(error.body)["reason"])


made = apps.create_namespaced_deployment(namespace, deployment("py", 2))
print("created", made.metadata.name, made.spec.replicas)
scale = apps.patch_namespaced_deployment_scale("py", namespace, {"spec": {"replicas": 5}})
print("scaled", scale.spec.replicas)
patched = apps.patch_namespaced_deployment("py", namespace, {"spec": {"replicas": 3}})
print("patched", patched.spec.replicas)

for name in ["a", "b", "c", "d"]:
    apps.create_namespaced_deployment(namespace, deployment(name, 0))
names, pages, token = [], 0, None
while pages == 0 or token:
    page = apps.list_namespaced_deployment(namespace, limit=3, _continue=token, field_selector="metadata.name!=py")
    names += [item.metadata.name for item in page.items]
    pages, token = pages + 1, page.metadata._continue
print("pages", names, "in", pages)

seen = apps.list_namespaced_deployment(namespace).metadata.resource_version
apps.create_namespaced_deployment(namespace, deployment("e", 0))
for event in watch.Watch().stream(
    apps.list_namespaced_deployment, namespace, resource_version=seen, field_selector="metadata.name=e"
):
    print("watched", event["type"], event["object"].metadata.name)
    break

attributes = client.V1ResourceAttributes(verb="delete", group="apps", resource="deployments", namespace=namespace)
review = client.V1SelfSubjectAccessReview(
    spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
)
print("review", client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed)

odd = client.ApiClient().sanitize_for_serialization(deployment("odd", 1))
odd["spec"]["foo"] = 1
refused("unknown field", lambda: apps.create_namespaced_deployment(namespace, odd, field_validation="Strict"))
refused("field selector", lambda: core.list_namespaced_pod(namespace, field_selector="spec.foo=x"))
refused("conflict", lambda: apps.replace_namespaced_deployment("py", namespace, made))
refused("missing", lambda: apps.read_namespaced_deployment("none", namespace))

apps.delete_namespaced_deployment("py", namespace, dry_run="All")
print("dry run kept", apps.read_namespaced_deployment("py", namespace).metadata.name)
apps.delete_collection_namespaced_deployment(namespace)
core.delete_namespace(namespace)
print("deleted")
