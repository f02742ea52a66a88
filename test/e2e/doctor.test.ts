import { doctorContract } from "../contract/doctor-contract";
import { startApiServer } from "./servers/api-server";
import { eventually } from "./servers/eventually";
import { grantDocumentedRoles } from "./servers/grant";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

doctorContract("a real kube-apiserver", async () => {
  const apiServer = await startApiServer();
  await grantDocumentedRoles(apiServer);
  const { endpoint, certificateAuthorityData, ebbToken: token, admin } = apiServer;
  const isAllowed = async (verb: string, group: string, resource: string): Promise<boolean> => {
    const [plural, subresource] = resource.split("/");
    const where = { verb, group, resource: plural, ...(subresource === undefined ? {} : { subresource }) };
    const spec = { user: "ebb", groups: ["ebb"], resourceAttributes: { namespace: "shop", ...where } };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return (await admin.create<{ status: { allowed: boolean } }>(path, { spec })).status.allowed;
  };
  const documented = await admin.get<{
    rules: readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  }>(`${rbac}/clusterroles/ebb`);
  return {
    ...{ endpoint, certificateAuthorityData, token },
    async grant(rules) {
      await admin.patch(`${rbac}/clusterroles/ebb`, { rules });
      // The authorizer watches the roles: it follows a moment later.
      await eventually("the rules hold", async () => {
        for (const { apiGroups, resources, verbs } of documented.rules) {
          const [group = "", resource = "", verb = ""] = [apiGroups[0], resources[0], verbs.at(-1)];
          const isGranted = rules.some((rule) => rule.apiGroups[0] === group && rule.resources[0] === resource);
          expect([group, resource, await isAllowed(verb, group, resource)]).toEqual([group, resource, isGranted]);
        }
        return undefined;
      });
    },
    close: () => apiServer.stop(),
  };
});
