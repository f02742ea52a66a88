import openApi from "./openapi.json";
import protobuf from "./protobuf.json";

/** An OpenAPI v3 schema, as far as it is read here. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
}

/** Kubernetes 1.36's schemas of the built-in kinds: `npm run kubernetes-schemas` records them. */
export const schemas = openApi as unknown as Readonly<Record<string, Schema>>;

/** Their protobuf messages: { Deployment: { "1": "metadata ObjectMeta", … }, … } in the words of the Go types. */
export const messages: Readonly<Record<string, Readonly<Record<string, string>>>> = protobuf;
