import { cronRows, type ReadingRow } from "./readings";
import { importSettings, type Ours, type RecordedSettings, targetOfKeda } from "./setting-answers";

/** How what KEDA and ebb refuse differs. docs/keda-settings.md lists them. */
interface SettingRow extends ReadingRow {
  readonly explains: (recorded: RecordedSettings, ours: Ours) => boolean;
}

const isRefused = (ours: Ours) => ours.problems.length > 0;
const names = ({ changed }: RecordedSettings) => Object.keys(changed);
const told = (recorded: RecordedSettings) => recorded.told.error ?? "";

/** Settings whose values only a server knows. */
const ofServers = new Set(
  [
    "address addresses bootstrapServers host hosts port ports queueURL serverAddress url sentinelMaster databaseIndex",
    "awsRegion awsAccountId expression metricStat timezone topic containerName format valueLocation operation",
  ].flatMap((line) => line.split(" ")),
);

const meansNothing = (name: string, text: string | null) =>
  text === "9223372036854775807" ||
  (text === "-1" && (name === "metricEndTimeOffset" || name === "desiredReplicas")) ||
  (text === "0" && name === "metricCollectionTime");

export const settingRows: readonly SettingRow[] = [
  {
    title: "A value that no server takes, such as an address without a port or a time zone that does not exist",
    keda: "is accepted, and each reading fails",
    ebb: "is refused where it is written",
    explains: (recorded, ours) => isRefused(ours) && names(recorded).every((name) => ofServers.has(name)),
  },
  {
    title: "A number that means nothing, such as a `metricEndTimeOffset` below 0 or one of 19 digits",
    keda: "is accepted",
    ebb: "is refused",
    explains: ({ changed, told: { error } }, ours) =>
      isRefused(ours) &&
      error === undefined &&
      Object.entries(changed).every(([name, text]) => meansNothing(name, text)),
  },
  {
    title: "A placeholder such as `$(QUEUE)`",
    keda: "is taken as it is written",
    ebb: "is refused",
    explains: (_, { problems }) => problems.some((problem) => problem.includes("got a placeholder")),
  },
  {
    title: "A cron expression that begins with `TZ=`",
    keda: "counts in that time zone",
    ebb: "is refused: `timezone` says it",
    explains: ({ changed }, ours) => isRefused(ours) && Object.values(changed).some((text) => text?.startsWith("TZ=")),
  },
  {
    title: "A credential that the TriggerAuthentication lacks",
    keda: "is refused",
    ebb: "is read: the source's own secret has it, or the functions' role",
    explains: (recorded) =>
      /(is|are) required when|no (realm|oauth token endpoint uri) given|err sasl type "gssapi"/.test(told(recorded)),
  },
  {
    title: "`type` of a CPU or memory trigger",
    keda: "is refused since 2.18",
    ebb: "is read as it was before: `metricType` goes before it",
    explains: (recorded, ours) => told(recorded).includes("The 'type' setting is DEPRECATED") && !isRefused(ours),
  },
  {
    title: '`desiredReplicas: "0"` of a cron trigger',
    keda: "is refused",
    ebb: "an open window keeps one replica",
    explains: (recorded, ours) => told(recorded).endsWith("no desiredReplicas specified") && !isRefused(ours),
  },
  {
    ...cronRows.sunday,
    explains: (recorded, ours) => told(recorded).includes("above maximum (6): 7") && !isRefused(ours),
  },
];
export const isAsTold = (recorded: RecordedSettings, ours: Ours) => ours.target === targetOfKeda(recorded);

/** Undefined: none explains it. */
export function settingRowOf(recorded: RecordedSettings, ours = importSettings(recorded.asked)) {
  return settingRows.find((row) => row.explains(recorded, ours));
}
