/** "" is the core group ("v1"). */
export function groupIn(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
