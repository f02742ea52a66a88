import type { Advice } from "../../lib/model/advice";
import type { ClusterAuth, ClusterEntry } from "../../lib/model/entry/entries";
import type { Fault, Lack } from "../../lib/model/fault";
import { advice } from "../advice/table";

/** How to know what another caller would see. */
export function toKnow(lack: Lack, { name: cluster, spec: { auth } }: ClusterEntry): Advice {
  return advice.askElsewhere({ cluster, lack, ...("file" in auth && { file: auth.file }) });
}

/** What ends a refused or failed connection to a cluster. */
export function reconnect({ kind, part }: Fault, { name: cluster, spec: { auth } }: ClusterEntry): Advice {
  if (part === "secret" && "secret" in auth) {
    const { secret } = auth;
    return kind === "notFound" ? advice.createSecret({ cluster, secret }) : advice.writeSecret({ cluster, secret });
  }
  if (part === "eks") return advice.fixClusterEntry({ cluster });
  switch (kind) {
    case "unauthorized":
      return credentialAdvice(cluster, auth);
    case "badEntry":
      return advice.fixClusterEntry({ cluster });
    default:
      return advice.checkEndpoint({ cluster });
  }
}

/** How to get a credential that the cluster accepts. */
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
