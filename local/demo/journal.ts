import type { Fault } from "../../lib/model/fault";
import { stored } from "../directory";
import { diskFault, readPrivateFile } from "../guard/private-files";
import type { KubernetesObject } from "../backends/kubernetes/resources/object";
import type { QueueChange, QueueSnapshot } from "../backends/sqs/account";
import type { Deduplicated, Message } from "../backends/sqs/message";
import type { SimulationChange, SimulationSnapshot } from "./simulation";
import { closeSync, constants, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Like etcd: a snapshot, and later changes as lines of JSON. */
export interface Journal {
  /** The end of the last run, clean or not. */
  readonly snapshot: SimulationSnapshot;
  /** Writes the change before it returns, so a kill loses nothing that anyone has seen. */
  readonly record: (change: SimulationChange) => void;
  /** Resolves when the first write failed. Then every change is refused. */
  readonly failed: Promise<Fault>;
  readonly compactWith: (snapshotNow: () => SimulationSnapshot) => void;
  readonly close: () => void;
}

/** About 2,000 changes: two minutes of the demo. */
const maxBytes = 4 * 1024 * 1024;

/** Rejects with an Error that names the file if it is unreadable. `first`: the start of the very first run. */
export async function openJournal(directory: string, first: () => Promise<SimulationSnapshot>): Promise<Journal> {
  const [snapshotText, lines = ""] = await Promise.all(
    [stored.simulation, stored.journal].map((name) => readPrivateFile(directory, name)),
  );
  // A kill may have cut the last line. Nobody has seen its change.
  const whole = lines.slice(0, lines.lastIndexOf("\n") + 1);
  const path = join(directory, stored.journal);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

  let snapshot: SimulationSnapshot;
  if (snapshotText === undefined) {
    snapshot = await first();
    writeSnapshot(directory, snapshot);
  } else {
    const changes = whole.split("\n").filter((line) => line !== "");
    snapshot = replay(
      parsed<SimulationSnapshot>(snapshotText, directory, stored.simulation),
      changes.map((line) => parsed<SimulationChange>(line, directory, stored.journal)),
    );
  }
  const file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  let bytes = snapshotText === undefined ? 0 : Buffer.byteLength(whole);
  ftruncateSync(file, bytes);

  let snapshotNow: (() => SimulationSnapshot) | undefined;
  let failure: Fault | undefined;
  let report: (failure: Fault) => void;
  const failed = new Promise<Fault>((resolve) => (report = resolve));

  const compact = (): void => {
    if (snapshotNow === undefined) return;
    writeSnapshot(directory, snapshotNow());
    // A kill before this leaves changes that the snapshot already has.
    ftruncateSync(file, 0);
    bytes = 0;
  };
  const append = (line: Buffer): void => {
    try {
      for (let sent = 0; sent < line.length;) sent += writeSync(file, line, sent);
    } catch (cause) {
      // Half a line would break the next one.
      ftruncateSync(file, bytes);
      throw cause;
    }
    bytes += line.length;
  };
  const guarded = (write: () => void): void => {
    if (failure !== undefined) throw failure;
    try {
      write();
    } catch (cause) {
      failure = diskFault(path, cause);
      report(failure);
      throw failure;
    }
  };
  return {
    ...{ snapshot, failed },
    record: (change) =>
      guarded(() => {
        append(Buffer.from(`${JSON.stringify(change)}\n`));
        if (bytes > maxBytes) compact();
      }),
    compactWith: (take) =>
      guarded(() => {
        snapshotNow = take;
        compact();
      }),
    close() {
      try {
        if (failure === undefined) guarded(compact);
      } finally {
        closeSync(file);
      }
    },
  };
}

function writeSnapshot(directory: string, snapshot: SimulationSnapshot): void {
  const path = join(directory, stored.simulation);
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, JSON.stringify(snapshot), { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw diskFault(path, cause);
  }
}

function parsed<T>(text: string, directory: string, name: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    // The table's zeros need the simulation: both must go.
    throw new Error(`${join(directory, name)}: expected JSON; delete ${directory} to start again`, { cause });
  }
}

interface KeptQueue {
  readonly attributes: QueueSnapshot["attributes"];
  readonly messages: Map<string, Message>;
  readonly tags: NonNullable<QueueSnapshot["tags"]>;
  readonly sent: Deduplicated[];
}

/**
 * Changes that the snapshot already has do no harm if all are there: each has the whole new value, and the last one
 * equals the snapshot's.
 */
export function replay(snapshot: SimulationSnapshot, changes: Iterable<SimulationChange>): SimulationSnapshot {
  const objects = new Map(snapshot.cluster.objects.map((object) => [keyOf(object), object]));
  let resourceVersion = snapshot.cluster.resourceVersion ?? 0;
  const queues = new Map<string, KeptQueue>();
  for (const { name, attributes, messages, tags = {}, sent = [] } of snapshot.sqs.queues)
    queues.set(name, {
      attributes,
      messages: new Map(messages.map((message) => [message.id, message])),
      tags,
      sent: [...sent],
    });

  for (const change of changes) {
    if ("queue" in change) {
      applyToQueue(queues, change);
      continue;
    }
    const object = "object" in change ? change.object : change.removed;
    resourceVersion = Math.max(resourceVersion, Number(object.metadata.resourceVersion));
    if ("object" in change) objects.set(keyOf(object), object);
    else objects.delete(keyOf(object));
  }
  return {
    cluster: { objects: [...objects.values()], resourceVersion },
    sqs: {
      queues: [...queues].map(([name, { attributes, messages, tags, sent }]) => ({
        ...{ name, attributes, messages: [...messages.values()], tags, sent },
      })),
    },
  };
}

function applyToQueue(queues: Map<string, KeptQueue>, change: QueueChange): void {
  const { queue } = change;
  const known: KeptQueue = queues.get(queue) ?? {
    attributes: {},
    messages: new Map<string, Message>(),
    tags: {},
    sent: [],
  };
  const { messages, sent } = known;
  if ("attributes" in change) queues.set(queue, { ...known, attributes: change.attributes });
  else if ("tags" in change) queues.set(queue, { ...known, tags: change.tags });
  else if ("deleted" in change) queues.delete(queue);
  else if ("put" in change) {
    messages.set(change.put.id, change.put);
    if (change.sent !== undefined && !sent.some(({ id }) => id === change.put.id)) sent.push(change.sent);
  } else messages.delete(change.gone);
}

function keyOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  return JSON.stringify([apiVersion, kind, metadata.namespace ?? "", metadata.name]);
}
