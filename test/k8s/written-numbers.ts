/** Unquoted, as kube-apiserver 1.37.2 serves them after a JSON body, and after a YAML body. */
export const writtenNumbers: readonly (readonly [written: string, ofJson: string, ofYaml: string])[] = [
  ["1e30", "1e30", "1e+30"],
  ["1E3", "1E3", "1k"],
  ["0.0000001", "100n", "100e-9"],
  ["1e-7", "100e-9", "100e-9"],
  ["2.860", "2.860", "2860m"],
  ["12.500", "12.500", "12500m"],
  ["2.860e0", "2.860e0", "2860m"],
  ["1.0", "1", "1"],
  ["1.50", "1500m", "1500m"],
  ["9007199254740993", "9007199254740993", "9007199254740993"],
  ["18446744073709551615", "18446744073709551615", "18446744073709551615"],
  ["1e400", "10e399", "10e399"],
  ["5", "5", "5"],
];

/** Numbers that only YAML has. */
export const yamlNumbers: readonly (readonly [written: string, served: string])[] = [
  ["010", "8"],
  ["0x10", "16"],
  ["1_000", "1k"],
  ["+5", "5"],
  [".5", "500m"],
  ["5.", "5"],
];

const spec = (value: string) =>
  `{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"w"},"metrics":[{"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":${value}}}}],"behavior":{"scaleUp":{"tolerance":${value}}}}`;

export const jsonOf = (value: string) =>
  `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":${spec(value)}}`;

export const yamlOf = (value: string) =>
  `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: ${spec(value).replaceAll(":", ": ")}
`;

/** Both quantities of the served spec. */
export const quantitiesOf = (served: unknown): readonly unknown[] => {
  const { metrics = [], behavior } = served as {
    metrics?: { external?: { target: { value?: unknown } } }[];
    behavior?: { scaleUp?: { tolerance?: unknown } };
  };
  return [metrics[0]?.external?.target.value, behavior?.scaleUp?.tolerance];
};
