export { type HoldKind, type HpaState, hpaStates, holdWords } from "../../model/hpa-states";
export { escapeLine } from "../../k8s/escape-terminal";
export { humanDuration } from "../../k8s/human-duration";
