import type { FleetRow } from "../lib/read/page/fleet-row";
import { hpaStates, type HpaState } from "../lib/read/page/words";

export type HpaName = Pick<FleetRow, "cluster" | "namespace" | "name">;

export type SourceName = Pick<FleetRow, "cluster" | "name">;

export const sorts = ["attention", "name", "size", "since"] as const;
export type Sort = (typeof sorts)[number];

/** What the list shows. Empty texts and lists do not filter. */
export interface Choice {
  readonly search: string;
  readonly states: readonly HpaState[];
  readonly cluster: string;
  readonly namespace: string;
  readonly source: string;
  readonly sort: Sort;
  readonly reversed: boolean;
}

/** All that the page shows is in its address: reload and back show it again. */
export interface Place {
  readonly choice: Choice;
  readonly hpa?: HpaName;
  /** As `ebb explain --at` takes it. */
  readonly at?: string;
  /** Of the charts: "6h", or two moments. Absent: the last hour. */
  readonly range?: string;
  readonly source?: SourceName;
  /** Of the source: what its chart shows. Absent: what most HPAs ask it. */
  readonly metric?: string;
}

export const everything: Choice = {
  ...{ search: "", states: [], cluster: "", namespace: "", source: "" },
  ...{ sort: "attention", reversed: false },
};

/** Leaves out what it does not know. */
export function placeOf(query: string): Place {
  const given = new URLSearchParams(query);
  const text = (name: string) => given.get(name) ?? "";
  const [cluster, namespace, ...name] = text("hpa").split("/");
  const [ofCluster, ...source] = text("open-source").split("/");
  const sort = text("sort").replace(/^-/, "");
  return {
    choice: {
      search: text("q"),
      states: text("state").split(",").filter(isState),
      cluster: text("cluster"),
      namespace: text("namespace"),
      source: text("source"),
      sort: sorts.find((known) => known === sort) ?? "attention",
      reversed: text("sort").startsWith("-"),
    },
    ...(cluster && namespace !== undefined && name.length > 0 && { hpa: { cluster, namespace, name: name.join("/") } }),
    ...(text("at") !== "" && { at: text("at") }),
    ...(text("range") !== "" && { range: text("range") }),
    ...(text("metric") !== "" && { metric: text("metric") }),
    ...(ofCluster && source.length > 0 && { source: { cluster: ofCluster, name: source.join("/") } }),
  };
}

/** Relative to the page: "?" for all. */
export function addressOf({ choice, hpa, at, range, source, metric }: Place): string {
  const { search, states, cluster, namespace, source: reads, sort, reversed } = choice;
  const fields = {
    q: search,
    state: states.join(","),
    ...{ cluster, namespace, source: reads },
    sort: sort === "attention" && !reversed ? "" : `${reversed ? "-" : ""}${sort}`,
    hpa: hpa === undefined ? "" : `${hpa.cluster}/${hpa.namespace}/${hpa.name}`,
    ...{ at: at ?? "", range: range ?? "" },
    "open-source": source === undefined ? "" : `${source.cluster}/${source.name}`,
    metric: metric ?? "",
  };
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
  return `?${query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
}

function isState(text: string): text is HpaState {
  return Object.hasOwn(hpaStates, text);
}
