/** OpenAPI v3, as far as it is read here. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
}

/** By name: "io.k8s.api.apps.v1.Deployment". */
export type Schemas = Readonly<Record<string, OpenApiSchema>>;

/** { Deployment: { "1": "metadata ObjectMeta", … }, … } in the Go types' words. */
export type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A third of a megabyte, loaded late. */
export async function recorded(): Promise<{ readonly schemas: Schemas; readonly messages: Messages }> {
  const { openApi, protobuf } = await import("./kubernetes-schemas");
  return { schemas: openApi as unknown as Schemas, messages: protobuf };
}
