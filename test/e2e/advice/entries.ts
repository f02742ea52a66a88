import { sqs } from "./scene";
import type { Situation } from "./situation";

/** Entries and states that cannot be used. */
export const entrySituations: readonly Situation[] = [
  {
    row: "invalidHpa",
    async make(scene) {
      const { cluster, namespace, ebb } = scene;
      await scene.put({ sk: `HPA#${namespace}/web`, spec: { maxReplicas: 0 } });
      return {
        printing: [ebb("doctor", cluster), ebb("explain", "hpa", "web", "-n", namespace, "--cluster", cluster)],
        async follow([command = "", ...others]) {
          expect(others).toEqual([]);
          await scene.editTo(command, scene.hpaEntry());
        },
      };
    },
  },
  {
    row: "invalidHpa",
    when: "an operation that cannot be read",
    async make(scene) {
      const { cluster, namespace, ebb } = scene;
      const { spec } = scene.hpaEntry();
      await scene.put({ sk: `HPA#${namespace}/web`, metadata: { annotations: { "ebb.dev/paused": "maybe" } }, spec });
      return {
        printing: [ebb("doctor", cluster), ebb("explain", "hpa", "web", "-n", namespace)],
        follow: ([command = ""]) => scene.editTo(command, scene.hpaEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "invalidSource",
    async make(scene) {
      await scene.put({ sk: "SOURCE#jobs", spec: { kind: 7 } });
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        async follow([command = ""]) {
          await scene.editTo(command, scene.sourceEntry("jobs", "sqs", { queue: "orders-1" }));
        },
      };
    },
  },
  {
    row: "replaceSource",
    async make(scene) {
      await scene.put({ sk: "SOURCE#", spec: { kind: "sqs", parameters: { queue: "orders-1" } } });
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        async follow([keep = "", remove = ""]) {
          expect(await scene.typed(keep)).toContain("queue: orders-1");
          await scene.typed(remove);
          await scene.apply(scene.sourceEntry("jobs", "sqs", { queue: "orders-1" }));
        },
      };
    },
  },
  {
    row: "noSource",
    async make(scene) {
      const selector = { matchExpressions: [{ key: "queue", operator: "In", values: ["orders-1"] }] };
      const { target } = sqs("").external;
      const metric = { type: "External", external: { metric: { name: "sqs", selector }, target } };
      const { spec } = scene.hpaEntry({ metrics: [metric] });
      await scene.put({ sk: `HPA#${scene.namespace}/web`, spec });
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        follow: ([command = ""]) => scene.editTo(command, scene.hpaEntry()).then(() => undefined),
      };
    },
  },
  {
    row: "applyCopy",
    async make(scene) {
      const { cluster, namespace, ebb } = scene;
      const spoiled = scene.file("spoiled.json", JSON.stringify(scene.hpaEntry({ maxReplicas: 0 })));
      return Promise.resolve({
        printing: [`EDITOR='cp ${spoiled}' ${ebb("edit", "hpa", "web", "-n", namespace, "--cluster", cluster)}`],
        async follow([command = ""]) {
          const [, copy = ""] = / -f (\S+) /.exec(command) ?? [];
          await scene.typed(`sed -i 's/"maxReplicas":0/"maxReplicas":7/' ${copy}`);
          await scene.typed(command);
          // The next edit finds it valid.
          scene.file("spoiled.json", await scene.typed(ebb("get", "hpa", "web", "-n", namespace, "-o", "yaml")));
        },
      });
    },
  },
  {
    row: "brokenState",
    async make(scene) {
      const { cluster, namespace, ebb } = scene;
      await scene.put({ sk: `STATE#${namespace}/web`, status: 7 });
      return {
        printing: [ebb("doctor", cluster), ebb("explain", "hpa", "web", "-n", namespace, "--cluster", cluster)],
      };
    },
  },
];
