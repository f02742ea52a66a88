/** A right that the entries need, in RBAC's words; all of its verbs in one namespace. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** The only object. Absent: all. */
  readonly name?: string;
  readonly verbs: readonly string[];
  readonly namespace: string;
}
