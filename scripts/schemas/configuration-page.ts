import { annotationHelp } from "../../lib/model/entry/annotation-help";
import { fieldOf, type JsonSchema, type Field } from "../../cli/understand/explain/field-help";
import { cellText, code } from "./cell-text";
import { fieldLine, fieldList } from "./field-list";
import { publishedSchemas } from "./published";

interface Kind {
  readonly title: string;
  readonly file: string;
  /** The kind's name on the command line. */
  readonly word: string;
  readonly example: string;
  /** The paths with their own list. */
  readonly lists: readonly string[];
}

const kinds: readonly Kind[] = [
  {
    title: "Cluster",
    file: "cluster.json",
    word: "cluster",
    example: "put-cluster.json",
    lists: ["spec", "spec.auth", "spec.options"],
  },
  {
    title: "MetricSource",
    file: "metric-source.json",
    word: "source",
    example: "put-source.json",
    lists: ["spec", "spec.parameters"],
  },
];

/** The fields of an HPA that upstream does not have, or that mean more here. */
const hpaFields = [
  "spec.metrics.external.metric.name",
  "spec.metrics.external.metric.selector.matchLabels",
  "spec.syncPeriodSeconds",
  "status",
];

const opening = `# Configuration

<!-- Made by \`npm run schema\` from lib/k8s/schema, lib/model/schema and lib/sources. -->

Every field of a cluster and a metric source, and what ebb adds to an HPA. \`ebb explain\` takes the headings below: \`ebb explain cluster.spec.auth\`. Editors read [schema](schema), to which files of \`ebb init\` refer. An unknown field of
\`spec\` is an error. [Entries](entries.md) says how the table holds them, [metrics](metrics.md) what a source reads.`;

/** docs/configuration.md: lists of the fields of each kind, and the annotations, in prettier's format. */
export function configurationPage(schemas = publishedSchemas()): string {
  const index = kinds.map(({ title, word, lists }) => {
    const links = lists.map((path) => linkTo(word, path));
    return `- [${title}](#${title.toLowerCase()}): ${links.join(", ")}`;
  });
  const described = new Map<string, string>();
  const parts = [
    opening,
    [...index, "- [HorizontalPodAutoscaler](#horizontalpodautoscaler), [annotations](#annotations)"].join("\n"),
    ...kinds.flatMap((kind) => kindParts(kind, { schema: schemas[kind.file] as JsonSchema, described })),
    ...hpaParts(schemas["hpa.json"] as JsonSchema),
    ...annotationParts(),
  ];
  return `${parts.join("\n\n")}\n`;
}

interface Described {
  readonly schema: JsonSchema;
  readonly described: Map<string, string>;
}

function kindParts(kind: Kind, { schema, described }: Described): readonly string[] {
  const { title, word, example, lists, file } = kind;
  const document = fieldOf("", schema);
  const name = at(document, "metadata.name").description;
  const intro = `${cellText(document.description)} \`metadata.name\`: ${cellText(name)} Example: [${example}](../examples/${example}). Schema: [${file}](schema/${file}).`;
  return [
    `## ${title}`,
    intro,
    ...lists.flatMap((path) => {
      const field = at(document, path);
      return [`### ${headingOf(word, path)}`, ...descriptionOf(field), ...listsOf(field, { kind, path, described })];
    }),
  ];
}

function hpaParts(schema: JsonSchema): readonly string[] {
  const document = fieldOf("", schema);
  return [
    "## HorizontalPodAutoscaler",
    `${cellText(document.description)} Example: [put-hpa.json](../examples/put-hpa.json). Schema: [hpa.json](schema/hpa.json).`,
    "Its fields are Kubernetes' own; `ebb explain hpa.spec --recursive` lists them. These are ebb's, or mean more here:",
    hpaFields.map((path) => fieldLine(at(document, path), path)).join("\n"),
  ];
}

function descriptionOf({ description, type }: Field): readonly string[] {
  if (description === "") throw new Error(`expected a description of ${type}, got none`);
  return [cellText(description)];
}

interface Lists {
  readonly kind: Kind;
  readonly path: string;
  readonly described: Map<string, string>;
}

/** One list, or one for each variant, without the field in the variant's name. */
function listsOf(field: Field, { kind: { word, lists }, path, described }: Lists): readonly string[] {
  const elsewhere = (other: string) => {
    return other !== path && lists.includes(other) ? linkTo(word, other) : undefined;
  };
  const list = (members: readonly Field[], name: string) =>
    fieldList(members, { path: `${path}.`, elsewhere, title: name, described });
  const own = field.members.length === 0 ? [] : [list(field.members, linkTo(word, path))];
  const variants = field.variants.flatMap(({ when, description, members }) => [
    `**${code(when)}**: ${cellText(description)}`,
    list(
      members.filter(({ name, values }) => when !== `${name}: ${values.join(", ")}`),
      code(when),
    ),
  ]);
  return [...own, ...variants].filter(Boolean);
}

function at(document: Field, path: string): Field {
  return path
    .split(".")
    .filter(Boolean)
    .reduce((field, name) => {
      const member = field.members.find((one) => one.name === name);
      if (member === undefined) throw new Error(`expected a field ${path}, got none in ${field.type}`);
      return member;
    }, document);
}

function annotationParts(): readonly string[] {
  const lines = Object.entries(annotationHelp).map(([name, { form, description }]) => {
    return `- ${code(name)} (${cellText(form)}): ${cellText(description)}`;
  });
  return [
    "## Annotations",
    "In `metadata.annotations`, as text. Any other annotation that begins with `ebb.dev/` is an error.",
    lines.join("\n"),
  ];
}

const headingOf = (word: string, path: string) => `${word}.${path}`;
const linkTo = (word: string, path: string) => {
  const heading = headingOf(word, path);
  return `[${heading}](#${heading.replaceAll(".", "")})`;
};
