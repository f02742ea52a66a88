/** What the deployment says about fast wakes (`ebb.dev/wake`). */
export interface PollerSettings {
  /** Whether an HPA without the annotation is watched. */
  readonly byDefault: boolean;
}
