import type { Advice } from "../../../lib/model/advice";
import type { ClusterAuth, ClusterEntry } from "../../../lib/model/entry/entries";
import type { Fault, MissingAccess } from "../../../lib/model/fault";
import { advice } from "../../shell/advice/table";

export function toKnow(lack: MissingAccess, { name: cluster, spec: { auth } }: ClusterEntry): Advice {
  switch (lack) {
    case "credentials":
      return advice.chooseCredentials({ cluster });
    case "right":
      return advice.chooseRights({ cluster });
    case "region":
      return advice.chooseRegion({ cluster });
    case "connection":
      return advice.reachAws({ cluster });
    case "variable":
      return advice.setVariable({ cluster });
    case "login":
      return "file" in auth ? advice.askKubectl(auth) : advice.fixClusterEntry({ cluster });
    case "kubeconfig":
      return advice.nameKubeconfig({ cluster, file: "file" in auth ? auth.file : "" });
  }
}

export function reconnect({ kind, part }: Fault, { name: cluster, spec: { auth } }: ClusterEntry): Advice {
  if (part === "secret" && "secret" in auth) {
    const { secret } = auth;
    return kind === "notFound" ? advice.createSecret({ cluster, secret }) : advice.writeSecret({ cluster, secret });
  }
  if (part === "eks" && auth.type === "eks")
    return kind === "notFound" ? advice.findEks({ cluster, region: auth.region }) : advice.correctEks({ cluster });
  switch (kind) {
    case "unauthorized":
      return credentialAdvice(cluster, auth);
    case "badEntry":
      return advice.fixClusterEntry({ cluster });
    default:
      return advice.checkEndpoint({ cluster });
  }
}

function credentialAdvice(cluster: string, auth: ClusterAuth): Advice {
  switch (auth.type) {
    case "eks":
      return auth.roleArn === undefined
        ? advice.letFunctionsIn({ cluster })
        : advice.letRoleIn({ cluster, eks: auth, roleArn: auth.roleArn });
    case "token":
      return advice.writeToken({ cluster, secret: auth.secret });
    case "clientCertificate":
      return advice.writeCertificate({ cluster, secret: auth.secret });
    case "kubeconfig":
      return "file" in auth
        ? advice.renewKubeconfig({ file: auth.file })
        : advice.writeKubeconfig({ cluster, secret: auth.secret });
  }
}
