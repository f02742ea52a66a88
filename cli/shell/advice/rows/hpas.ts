import { ebb, kubectl, row } from "../../../../lib/model/advice";
import { type ClusterName, editHpa, type HpaName, onHpa } from "./entries";

/** In kubectl's words: "deployment/orders", "Rollout.argoproj.io/orders". */
export interface Target extends HpaName {
  readonly target: string;
}

const examine = ({ cluster, namespace }: Pick<HpaName, "cluster" | "namespace">) =>
  ebb("doctor", cluster, "-n", namespace);

export const hpaRows = {
  createTarget: row<HpaName>`create it, or fix scaleTargetRef: ${editHpa}`,
  askForScale: row<Target>`fix what the API server says of it: ${({ cluster, namespace, target }) =>
    kubectl(cluster, "get", target, "-n", namespace, "--subresource=scale", "-o", "yaml")}`,
  checkMetric: row<HpaName & { readonly path: string }>`check the metric's name and selector, and what the API has: ${({
    cluster,
    path,
  }) => kubectl(cluster, "get", "--raw", path)}; then ${editHpa}`,

  separateSelectors: row`let only one HPA match these pods: delete the other, or make the targets' selectors differ`,
  selectPods: row<Pick<Target, "target">>`make the scale of ${({ target }) => target} select its pods`,
  askTheFunctions: row<HpaName>`if the lines here are ok, the functions lack rights that this machine has: see the sync function's logs, and ${(
    hpa,
  ) => onHpa(["explain"], hpa)}`,

  wake: row<Target>`wake it: ${({ cluster, namespace, target }) =>
    kubectl(cluster, "scale", target, "-n", namespace, "--replicas=1")}`,
  wakeOrPause: row<Target>`hand it to ebb by scaling it up once: ${({ cluster, namespace, target }) =>
    kubectl(cluster, "scale", target, "-n", namespace, "--replicas=1")}; or, if it is meant to stay at zero, say so: ${(
    hpa,
  ) => onHpa(["pause"], hpa)}`,
  wakeThem: row`to see how: ${() => ebb("doctor")}`,
  resume: row<HpaName>`resume it: ${(hpa) => onHpa(["resume"], hpa)}`,
  endDryRun: row<HpaName>`to end it: ${({ cluster, namespace, name }) =>
    ebb("dry-run", "hpa", name, "off", "-n", namespace, "--cluster", cluster)}`,
  findFault: row<HpaName>`to see why: ${examine}`,
  askDoctor: row<ClusterName>`see what ${({ cluster }) => ebb("doctor", cluster)} says`,
  askStatus: row<Partial<ClusterName>>`see what ${({ cluster }) =>
    ebb("status", ...(cluster === undefined ? [] : ["--cluster", cluster]))} and ${({ cluster }) =>
    ebb("doctor", ...(cluster === undefined ? [] : [cluster]))} say`,
};
