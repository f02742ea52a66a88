/** The KEDA that parity/keda asks. */
export const kedaVersion = "v2.21.0";
export const kedaModule = "github.com/kedacore/keda/v2";
