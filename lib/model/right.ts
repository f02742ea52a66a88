/** In RBAC's words. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: all objects. */
  readonly name?: string;
  readonly verbs: readonly string[];
  readonly namespace: string;
}
