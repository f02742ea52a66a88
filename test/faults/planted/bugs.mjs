/**
 * Bugs that the simulator must find, each within a number of stories of a kind, counted from the first one, or that one
 * unit test file must find. A change is a text that must be in its file exactly once, and what takes its place.
 * found.json says which story, or which test, found each. Above those of busy pods that no story finds is why.
 */
const act = "lib/sync/scale/act.ts";
const intents = "lib/sync/scale/intents.ts";
const rescale = "lib/sync/scale/rescale.ts";
const syncHpa = "lib/sync/hpa/sync-hpa.ts";
const slotTasks = "lib/sync/slot/slot-tasks.ts";
const announceChange = "lib/sync/slot/record-change.ts";
const confirmed = "lib/sync/slot/confirmed.ts";
const seenInSlot = "lib/sync/slot/write-latest-values.ts";
const writeHistory = "lib/sync/history/write-history.ts";
const finishSlot = "lib/sync/slot/finish-slot.ts";
const woken = "lib/sync/wake/sync-woken.ts";
const reshard = "lib/scheduler/reshard.ts";
const version = "lib/model/stored/version.ts";
const reads = "lib/table/reads.ts";
const items = "lib/table/get-items.ts";
const writes = "lib/table/conditional-write.ts";
const work = "lib/core/rules/work.ts";
const lease = "lib/poller/lease.ts";
const wakesFile = "lib/poller/wakes.ts";
const waitsFile = "lib/poller/wakes.ts";

const change = (file, find, replace) => ({ file, find, replace });

export const bugs = [
  {
    name: "earlier-intents-are-dropped",
    kind: "storm",
    within: 10,
    changes: [
      change(
        intents,
        "return { intent, ...(earlier.length > 0 && { earlier }), ...(earlierSizes && { earlierSizes }) };",
        "return { intent };",
      ),
    ],
  },
  {
    name: "intents-beyond-the-limit-are-dropped",
    kind: "crowded",
    within: 100,
    changes: [change(intents, "const earlierSizes = rangeOf(others,", "const earlierSizes = rangeOf([],")],
  },
  {
    name: "a-zero-beyond-the-limit-is-not-named",
    kind: "crowded",
    within: 200,
    changes: [change(intents, "index < mostEarlier || to === 0;", "index < mostEarlier || to < 0;")],
  },
  {
    name: "a-size-in-the-range-counts-nothing",
    kind: "crowded",
    within: 400,
    changes: [change(intents, "...endsOf(earlierSizes, intent)];", "...endsOf(undefined && earlierSizes, intent)];")],
  },
  {
    name: "a-withdrawal-drops-all-intents",
    kind: "storm",
    within: 200,
    changes: [
      change(intents, "if (latest === undefined) return state;", "if (latest === undefined || rest) return state;"),
    ],
  },
  {
    name: "nothing-is-contested",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        slotTasks,
        "mayHaveConcurrentRun:\n          mayHaveConcurrentRun || lagging !== undefined || closed !== undefined || isWoken(state, shard),",
        "mayHaveConcurrentRun: false,",
      ),
    ],
  },
  {
    name: "no-wake-is-contested",
    kind: "aimed",
    within: 200,
    changes: [change(slotTasks, "return state?.wake !== undefined && state.wake.at > shard.slot;", "return false;")],
  },
  {
    name: "no-slot-is-contested",
    test: "test/sync/slot/slot-tasks.test.ts",
    changes: [
      change(
        slotTasks,
        "return isUnfinished(shard, message) || states.some((state) => state.slot > shard.slot);",
        "return false;",
      ),
    ],
  },
  {
    name: "finish-over-a-widened-range",
    kind: "aimed",
    within: 60,
    changes: [
      change(finishSlot, "return loaded.to === null || (found.to !== null && found.to <= loaded.to);", "return true;"),
    ],
  },
  {
    name: "slots-go-back",
    kind: "storm",
    within: 15,
    changes: [change(finishSlot, "found.slot >= message.slot || ", "")],
  },
  {
    name: "uid-is-not-compared",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "if (uid === undefined || uid === state.targetUid) return state;",
        "if (uid) return state;",
      ),
      change(
        act,
        "return seen.metadata.uid === scale.metadata.uid && currentReplicas(seen) === intended",
        "return currentReplicas(seen) === intended",
      ),
    ],
  },
  {
    name: "a-new-target-forgets-whose-zero-it-is",
    kind: "moment",
    within: 50,
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "return { ...rest, targetUid: uid };",
        "return { ...rest, status: {}, targetUid: uid };",
      ),
    ],
  },
  {
    name: "loads-are-eventually-consistent",
    kind: "moment",
    within: 50,
    changes: [
      change(
        "lib/table/reads.ts",
        'toItem({ ":pk": pk, ":low": low, ":high": high }),\n    ConsistentRead: true,',
        'toItem({ ":pk": pk, ":low": low, ":high": high }),\n    ConsistentRead: false,',
      ),
    ],
  },
  {
    name: "items-are-read-eventually-consistent",
    kind: "aimed",
    within: 60,
    changes: [
      change(items, "Key: toItem(key), ConsistentRead: true", "Key: toItem(key)"),
      change(items, "Keys: left, ConsistentRead: true", "Keys: left"),
    ],
  },
  {
    name: "versions-start-again",
    kind: "moment",
    within: 150,
    changes: [change(version, "return (Math.floor(now / 1_000) % starts) * perStart;", "return 0;")],
  },
  {
    name: "a-wake-does-not-ask-again",
    kind: "aimed",
    within: 60,
    changes: [
      change(woken, "const current = await store.shard(slotMessage, context.signal);", "const current = shard;"),
    ],
  },
  {
    name: "a-wake-does-not-claim",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        "lib/sync/slot/claim.ts",
        "if (isAhead(current, at)) return",
        "if (at > 0) return { state: current };\n    if (isAhead(current, at)) return",
      ),
    ],
  },
  {
    name: "a-wake-loses-the-sighting-of-the-slot-under-way",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        woken,
        "return mayBeObserved ? Math.max(known, now) : known;",
        "return known + 0 * now * Number(mayBeObserved);",
      ),
    ],
  },
  {
    name: "a-slot-ignores-a-later-wake",
    kind: "aimed",
    within: 60,
    changes: [
      change(syncHpa, "stored?.wake !== undefined && stored.wake.at > run.message.slot", "stored?.version === -1"),
    ],
  },
  {
    name: "a-slot-has-two-effects",
    kind: "storm",
    within: 400,
    changes: [
      change(
        syncHpa,
        "stored !== undefined && stored.slot >= run.message.slot",
        "stored !== undefined && stored.version === -1",
      ),
    ],
  },
  {
    name: "forgetting-does-not-ask-again",
    kind: "moment",
    within: 50,
    changes: [
      change(
        "lib/sync/slot/record-change.ts",
        "if ((await store.document(cluster, key, signal)) !== undefined) return;",
        "",
      ),
    ],
  },
  {
    name: "429-is-retried-at-once",
    kind: "storm",
    within: 70,
    changes: [change(act, '!fault.retryable || fault.kind === "throttled"', "!fault.retryable")],
  },
  {
    name: "the-announcement-lacks-the-recommendation",
    kind: "storm",
    within: 60,
    changes: [
      change(
        rescale,
        "history: { ...decision.history, scaleUpEvents, scaleDownEvents } }",
        "history: { ...(state.history ?? decision.history), scaleUpEvents, scaleDownEvents } }",
      ),
    ],
  },
  {
    name: "a-refusal-withdraws-what-was-sent-before",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        act,
        'if (isRefused) return { kind: mayLand ? "unknown" : "failed", state, error };',
        'if (isRefused) return { kind: "failed", state, error };',
      ),
    ],
  },
  {
    name: "an-unknown-outcome-is-a-failure",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        act,
        'if (seen === undefined) return { kind: "unknown", state, error };',
        'if (seen === undefined) return { kind: "failed", state, error };',
      ),
    ],
  },
  {
    name: "a-timeout-is-a-failure",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        act,
        'return { kind: moved ? "failed" : "unknown", state, error };',
        'return { kind: "failed", state, error };',
      ),
    ],
  },
  {
    name: "intents-are-settled-before-their-version-is-gone",
    kind: "storm",
    within: 10,
    changes: [
      change(
        intents,
        "if (intent === undefined || scale.metadata.resourceVersion === intent.resourceVersion) return",
        "if (intent === undefined) return",
      ),
      change(
        "lib/sync/scale/intents.ts",
        "if (scale.metadata.resourceVersion === intent.resourceVersion) return state;",
        "",
      ),
    ],
  },
  {
    name: "what-was-overwritten-does-not-count",
    kind: "storm",
    within: 100,
    changes: [change(intents, "applied === undefined && size !== intent.from", "applied === undefined && size < 0")],
  },
  {
    name: "a-found-scale-counts-from-its-intent",
    kind: "storm",
    within: 10,
    changes: [change("lib/sync/scale/intents.ts", "foundAt: Math.max(now, intent.at)", "foundAt: intent.at")],
  },
  {
    name: "a-late-run-trusts-its-clock",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        rescale,
        "if (run.time.isOver()) return hpaResult(task, { recorded: false, warnings: [], events: [] });",
        "",
      ),
    ],
  },
  {
    name: "newer-slots-are-not-asked-for",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        act,
        "return time.inTime() && !overtaken && isDeepStrictEqual",
        "return time.inTime() && isDeepStrictEqual",
      ),
    ],
  },
  {
    name: "the-entry-is-not-compared",
    kind: "aimed",
    within: 60,
    changes: [change(act, "&& isDeepStrictEqual(current, document)", "&& (current !== document || document !== 0)")],
  },
  {
    name: "the-slot-never-ends",
    kind: "storm",
    within: 40,
    changes: [
      change(
        "lib/sync/slot/run-tasks.ts",
        "inTime: () => context.now() < end,",
        "inTime: () => context.now() > 0 || end > 0,",
      ),
    ],
  },
  {
    name: "a-new-version-is-not-announced",
    kind: "aimed",
    within: 60,
    changes: [change(act, "    if (moved) {", "    if (moved && attempt < 0) {")],
  },
  {
    name: "a-lost-announcement-does-not-matter",
    kind: "storm",
    within: 10,
    changes: [
      change(
        act,
        'if (!(await reporting(storing, action.onIntentStored))) return { kind: "superseded" };',
        "await reporting(storing, action.onIntentStored);",
      ),
    ],
  },
  {
    name: "nobody-is-behind",
    kind: "storm",
    within: 60,
    changes: [change(seenInSlot, "...missed.map(({ key })", "...missed.slice(missed.length).map(({ key })")],
  },
  {
    name: "the-heartbeat-is-not-recalled",
    kind: "storm",
    within: 60,
    changes: [
      change(
        syncHpa,
        "withLastObserved(stored ?? freshState(entry.hpa.status ?? {}, run.now), task)",
        "withLastObserved(stored ?? freshState(entry.hpa.status ?? {}, run.now), { lastSeen: 0 })",
      ),
    ],
  },
  {
    name: "writes-do-not-compare-versions",
    kind: "storm",
    within: 5,
    changes: [
      change(writes, 'ConditionExpression: "#version = :version"', 'ConditionExpression: "attribute_exists(#version)"'),
    ],
  },
  {
    name: "a-conflict-counts-as-written",
    kind: "storm",
    within: 20,
    changes: [change(writes, "stored?.writeToken?.S === writeToken", 'stored?.writeToken?.S !== ""')],
  },
  {
    name: "an-own-lost-write-counts-as-a-conflict",
    kind: "aimed",
    within: 60,
    changes: [change(writes, "stored?.writeToken?.S === writeToken", 'stored?.writeToken?.S === ""')],
  },
  {
    name: "a-decision-is-recorded-before-its-effect",
    kind: "storm",
    within: 60,
    changes: [
      change(
        rescale,
        "  const acted = await act(",
        "  await recordDecision(run, key, { ...wanted.recording.explained, scaleTo: wanted.to, events: [] });\n  const acted = await act(",
      ),
    ],
  },
  {
    name: "an-unread-metric-is-zero",
    kind: "storm",
    within: 60,
    changes: [
      change(
        "lib/readings/observe.ts",
        "if (isFault(error)) return { error: error.message };",
        'if (isFault(error)) return { items: [{ metricName: "m", metricLabels: {}, timestamp: "", value: "0" } as T] };',
      ),
    ],
  },
  {
    name: "a-kept-reading-never-ends",
    kind: "storm",
    within: 60,
    changes: [
      change(
        "lib/readings/read-sources.ts",
        "Math.abs(slot - before.readAt) < cachedFor(before.response, keepMs)",
        "cachedFor(before.response, keepMs) > 0 * slot",
      ),
    ],
  },
  {
    name: "a-split-takes-the-old-heartbeat",
    kind: "moment",
    within: 50,
    changes: [
      change(
        reshard,
        "const heartbeat = Math.max(shard.heartbeat, now());",
        "const heartbeat = shard.heartbeat + 0 * now();",
      ),
    ],
  },
  {
    name: "a-merge-takes-the-old-heartbeat",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        reshard,
        "Math.max(left.heartbeat, right.heartbeat, now())",
        "Math.min(left.heartbeat, right.heartbeat, now())",
      ),
    ],
  },
  {
    name: "a-split-overlaps",
    kind: "moment",
    within: 50,
    changes: [
      change(reshard, "{ ...partOf(shard, half, keys.length), to: middle }", "partOf(shard, half, keys.length)"),
      change(
        reshard,
        "if (left.to !== middle || !(await stillEndsThere(store, left, signal))) return [left];",
        "void left;",
      ),
    ],
  },
  {
    name: "a-paused-split-goes-on",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        reshard,
        "if (left.to !== middle || !(await stillEndsThere(store, left, signal)))",
        "if (left.to !== middle)",
      ),
    ],
  },
  {
    name: "an-unfinished-slot-has-seen-nothing",
    kind: "moment",
    within: 470,
    changes: [change(slotTasks, "Math.max(knownAt, message.slot) : knownAt", "knownAt : knownAt")],
  },
  {
    name: "the-run-that-wrote-a-state-was-alone",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        "lib/model/stored/last-observed.ts",
        "if (isOfItsSlot) return known === closedAt ? undefined : Math.min(known, end);",
        "if (isOfItsSlot) return undefined;",
      ),
    ],
  },
  {
    name: "a-slot-that-comes-again-has-seen-what-a-wake-did",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        syncHpa,
        "stored.wake.at > run.message.slot) {",
        "stored.wake.at > run.message.slot && stored.slot < run.message.slot) {",
      ),
    ],
  },
  {
    name: "a-write-that-was-undone-is-repeated",
    kind: "aimed",
    within: 60,
    changes: [change(act, 'if (moved && mayLand) return { kind: "unknown", state, error };', "")],
  },
  {
    name: "a-size-set-by-hand-makes-room",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        "lib/core/limit-rate.ts",
        "history[other].filter(({ foundAt }) => foundAt === undefined)",
        "history[other]",
      ),
    ],
  },
  {
    name: "a-size-set-by-hand-makes-room-in-its-own-run",
    kind: "aimed",
    within: 60,
    changes: [change(act, "state, isFound: true }", "state, isFound: false }")],
  },
  {
    name: "the-state-is-not-awaited",
    kind: "storm",
    within: 60,
    changes: [
      change(
        "lib/sync/hpa/record-decision.ts",
        "const ok = await reporting(write, () => outcome.onRecorded?.());",
        "reporting(write, () => outcome.onRecorded?.()).catch(() => undefined);\n    const ok = true;",
      ),
    ],
  },
  {
    name: "an-entry-is-looked-into-before-it-is-decoded",
    kind: "malformed",
    within: 10,
    changes: [
      change(
        slotTasks,
        "entry: readOnce(listed),",
        "entry: ((listed.document as { spec: { metrics: object[] } }).spec.metrics.forEach(Object.keys), readOnce(listed)),",
      ),
    ],
  },
  {
    name: "one-broken-shard-stops-the-tick",
    kind: "clusters",
    within: 20,
    changes: [
      change(
        "lib/table/store.ts",
        "return items.flatMap((item) => readableShard(item, onBrokenShard));",
        "return items.flatMap((item) => readableShard(item));",
      ),
    ],
  },
  {
    name: "missing-pods-are-left-out",
    kind: "pods",
    within: 30,
    changes: [change("lib/core/recommend/from-pods.ts", "full: ratio < 1 ? groups.missing : [],", "full: [],")],
  },
  {
    name: "a-wake-announces-nothing",
    kind: "random",
    within: 60,
    changes: [
      change(announceChange, "if (await store.replaceShard(shard, next, signal)) return;", "return void next;"),
    ],
  },
  {
    name: "a-stray-state-is-not-noticed",
    kind: "aimed",
    within: 200,
    changes: [
      change(
        confirmed,
        "return sumOfStates(states, shard, isLeftOut) === confirmed.states ? isLeftOut : () => true;",
        "return () => false;",
      ),
    ],
  },
  {
    name: "a-wake-hides-a-late-write",
    kind: "paired",
    within: 200,
    changes: [
      change(
        confirmed,
        "const isLeftOut = unsettledIn(confirmed.unsettled);",
        "if (confirmed.changed > shard.slot) return () => false; const isLeftOut = unsettledIn(confirmed.unsettled);",
      ),
    ],
  },
  {
    name: "a-split-hides-a-late-write",
    kind: "paired",
    within: 400,
    changes: [
      change(
        confirmed,
        "if (confirmed === undefined) return () => true;",
        "if (confirmed === undefined) return () => false;",
      ),
    ],
  },
  {
    name: "a-woken-hpa-trusts-a-late-write",
    kind: "paired",
    within: 800,
    changes: [change(woken, "periodMs, isUnconfirmed: true }", "periodMs, isUnconfirmed: false }")],
  },
  {
    name: "a-value-is-not-checked",
    kind: "malformed",
    within: 30,
    changes: [
      change(
        "lib/cluster/api/metrics-apis.ts",
        "if (!isQuantity(value)) throw new Fault",
        "if (value === undefined) throw new Fault",
      ),
    ],
  },
  {
    name: "a-state-of-0.1.0-cannot-be-read",
    kind: "upgrade",
    within: 5,
    changes: [
      change(
        "lib/table/items/attributes.ts",
        "if (format === undefined) return undefined;",
        'if (format === undefined) return { broken: "format" };',
      ),
    ],
  },
  {
    name: "a-wake-confirms-like-a-slot",
    kind: "rules",
    within: 100,
    changes: [change(work, "if (before.slot === start || before.slots >= needed)", "if (before.slots >= needed)")],
  },
  {
    name: "an-unreadable-slot-confirms",
    kind: "rules",
    within: 100,
    changes: [
      change(
        work,
        "return readings === undefined || readings.empty ? {} : { readings };",
        "return readings === undefined ? {} : { readings: { ...readings, slots: readings.slots + 1 } };",
      ),
    ],
  },
  {
    name: "a-slot-that-nobody-synced-confirms",
    kind: "rules",
    within: 200,
    changes: [
      change(work, "isEmpty && start - before.slot > periodMs", "isEmpty && start - before.slot > 1e6 * periodMs"),
    ],
  },
  {
    name: "a-late-request-adopts-another-zero",
    kind: "idle",
    within: 60,
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "return adopts !== undefined && zeroName(scale) === adopts ? own(adopted) : state;",
        "return adopts !== undefined ? own(adopted) : state;",
      ),
    ],
  },
  {
    name: "zero-follows-at-once",
    kind: "idle",
    within: 60,
    changes: [change("lib/core/idle.ts", "return activity.lastWork + rule.afterMs;", "return activity.lastWork;")],
  },
  {
    name: "an-unknown-metric-has-no-work",
    kind: "idle",
    within: 60,
    changes: [
      change("lib/core/idle.ts", 'const isUnknown = each.includes("unknown");', "const isUnknown = each.length === 0;"),
    ],
  },
  {
    name: "from-is-no-least-size",
    kind: "idle",
    within: 60,
    changes: [
      change(
        "lib/core/idle.ts",
        "return { from: Math.min(rule.from, hpa.spec.maxReplicas), work,",
        "return { from: Math.min(1, hpa.spec.maxReplicas), work,",
      ),
    ],
  },
  {
    name: "a-fallback-goes-to-zero",
    kind: "rules",
    within: 100,
    changes: [
      change(
        "lib/core/rules/fallback.ts",
        "const { replicas = 0, percentOfMaxReplicas } = given;",
        "const { replicas, percentOfMaxReplicas } = { ...given, replicas: 0 };",
      ),
    ],
  },
  {
    name: "a-fallback-begins-at-once",
    kind: "rules",
    within: 100,
    changes: [change("lib/core/rules/fallback.ts", "if (seconds < after) {", "if (seconds < 0 * after) {")],
  },
  {
    name: "unknown-work-goes-to-zero",
    test: "test/core/idle.test.ts",
    changes: [
      change("lib/core/idle.ts", 'const isUnknown = each.includes("unknown");', "const isUnknown = each.length < 0;"),
    ],
  },
  {
    name: "an-error-moves-the-last-work",
    test: "test/core/idle.test.ts",
    changes: [change("lib/core/idle.ts", "hasWork && (!isUnknown || current < rule.from);", "hasWork;")],
  },
  {
    name: "what-moves-is-not-shown",
    kind: "values",
    within: 100,
    changes: [
      change(
        "lib/sync/slot/write-latest-values.ts",
        "moved.length === 0 && writtenAt === undefined",
        "moved.length >= 0",
      ),
    ],
  },
  {
    name: "a-slot-counts-hpas-that-rest",
    kind: "periods",
    within: 10,
    changes: [
      change(seenInSlot, "isClassDue(name, due) ? now : classLastObservedAt(shard, name)", "now + 0 * due.until"),
    ],
  },
  {
    name: "the-heartbeat-counts-for-own-periods",
    kind: "periods",
    within: 60,
    changes: [
      change(
        "lib/model/stored/last-observed.ts",
        "if (periodClass === undefined || ownPeriods?.heartbeat !== heartbeat) return heartbeat;",
        "if (periodClass !== undefined || ownPeriods?.heartbeat !== heartbeat) return 0;",
      ),
    ],
  },
  {
    name: "a-split-loses-own-periods",
    kind: "periods",
    within: 150,
    changes: [change(reshard, "isUnderWay ? heartbeat : Math.max(", "true ? 0 * Number(isUnderWay) : Math.max(")],
  },
  {
    name: "a-poller-reads-on",
    kind: "watched",
    within: 60,
    changes: [change(lease, "export const skewMs = 250;", "export const skewMs = -3_000;")],
  },
  {
    name: "a-lease-is-taken-early",
    kind: "watched",
    within: 60,
    changes: [
      change(
        lease,
        "return until <= now || until - now > longestMs;",
        "return until - 5_000 <= now || until - now > longestMs;",
      ),
    ],
  },
  {
    name: "a-zero-is-not-shown",
    kind: "watched",
    within: 60,
    changes: [
      change(
        "lib/sync/slot/write-idle-index.ts",
        "before?.hash === hash && message.slot",
        "before !== undefined && message.slot",
      ),
    ],
  },
  {
    name: "what-rests-is-not-watched",
    kind: "watched",
    within: 100,
    changes: [
      change(
        "lib/sync/slot/sync-shard.ts",
        "idleAfter([...slotTasks.tasks, ...slotTasks.resting], results,",
        "idleAfter(slotTasks.tasks, results,",
      ),
    ],
  },
  {
    name: "what-is-up-is-woken",
    kind: "watched",
    within: 300,
    changes: [
      change(
        wakesFile,
        'return status !== undefined && isAtZero(status) && (status.lastScaleTime ?? "") === since;',
        "return status !== undefined || since === undefined;",
      ),
    ],
  },
  {
    name: "a-wake-is-sent-each-second",
    kind: "watched",
    within: 60,
    changes: [change(waitsFile, "if (last !== undefined && last.until > at) return false;", "void last?.until;")],
  },
  {
    name: "no-work-wakes",
    kind: "watched",
    within: 60,
    changes: [
      change(
        "lib/poller/poll.ts",
        'if (found.replicas > 0) return "certain";',
        'if (found.replicas >= 0) return "certain";',
      ),
    ],
  },
  {
    name: "a-spending-counts-twice",
    kind: "watched",
    within: 60,
    changes: [change("lib/poller/pace.ts", "spent -= part.spent;", "void part.spent;")],
  },
  {
    name: "a-spending-is-lost",
    kind: "watched",
    within: 60,
    changes: [
      change(
        lease,
        "const spending = addSpending(found.spending, spent);",
        "const spending = addSpending(found.spending, { ...spent, spent: 0 });",
      ),
    ],
  },
  {
    name: "the-budget-slows-nothing",
    kind: "watched",
    within: 100,
    changes: [change("lib/poller/pace.ts", "if (sumOf(demands) <= total)", "if (total >= 0)")],
  },
  {
    name: "a-late-wake-leaves-what-rests-to-its-own-slot",
    kind: "watched",
    within: 300,
    changes: [
      change(
        woken,
        "if (first.resting.length === 0) return [first.counts];",
        "if (first.resting.length >= 0) return [first.counts];",
      ),
    ],
  },
  {
    name: "a-run-scales-what-another-shard-has-now",
    kind: "watched",
    within: 600,
    changes: [
      change(
        "lib/sync/slot/run-tasks.ts",
        "return isOver(current) || (current !== undefined && !holdsKey(current, key));",
        'return isOver(current) || (current !== undefined && !holdsKey({ ...current, from: "", to: null }, key));',
      ),
    ],
  },
  {
    name: "a-wake-that-took-long-is-sent-again-at-once",
    kind: "watched",
    within: 400,
    changes: [
      change(waitsFile, "waits.set(id, { until: Infinity,", "waits.set(id, { until: at + firstWaitMs,"),
      change(wakesFile, "if (asleep.length === 0) return waits.begin(ids, now());", "if (asleep.length === 0) return;"),
      change(
        wakesFile,
        "    woken += asleep.length;\n    waits.begin(ids, now());",
        "    woken += asleep.length;\n    if (ids.length === 0) waits.begin(ids, now());",
      ),
    ],
  },
  {
    name: "two-empty-slots-are-enough",
    kind: "stale",
    within: 60,
    changes: [
      change(
        "lib/model/entry/metric-rules.ts",
        "{ confirm: Math.ceil(settleMs / periodMs) + 1 }",
        "{ confirm: 2 + 0 * periodMs }",
      ),
    ],
  },
  {
    name: "an-empty-reading-within-a-slot-counts-for-it",
    kind: "stale",
    within: 60,
    changes: [change(work, "slots: isWithin ? 0 : 1,", "slots: 1 + 0 * Number(isWithin),")],
  },
  {
    name: "messages-in-flight-wake-at-once",
    kind: "stale",
    within: 60,
    changes: [change(work, "isMerelyPossible ? Math.max(confirm, confirmWake)", "isMerelyPossible ? confirmWake")],
  },
  {
    name: "the-poller-wakes-for-messages-in-flight-at-once",
    kind: "stale",
    within: 60,
    changes: [change("lib/poller/poll.ts", "before?.has(zeroText(reader.id)) === true", "before?.size !== Infinity")],
  },
  {
    name: "the-heartbeat-of-an-older-version-is-not-noticed",
    test: "test/model/stored/last-observed.test.ts",
    changes: [
      change(
        "lib/model/stored/last-observed.ts",
        "if (periodClass === undefined || ownPeriods?.heartbeat !== heartbeat) return heartbeat;",
        "if (periodClass === undefined || ownPeriods === undefined) return heartbeat;",
      ),
    ],
  },
  {
    name: "a-scale-is-written-before-its-announcement",
    kind: "storm",
    within: 10,
    changes: [
      change(
        act,
        "  const storing = () => storeIntent(run, action.key, action.intended);",
        "  const early = { ...action.scale, spec: { ...action.scale.spec, replicas: action.intended.intent.to } };\n  if (run.time.inTime()) await put(run, action.target, early);\n  const storing = () => storeIntent(run, action.key, action.intended);",
      ),
    ],
  },
  {
    name: "the-check-goes-before-the-announcement",
    kind: "storm",
    within: 70,
    changes: [
      change(
        act,
        "  const storing = () => storeIntent(run, action.key, action.intended);",
        "  const isOurs = await stillOurs(run, action);\n  const storing = () => storeIntent(run, action.key, action.intended);",
      ),
      change(
        act,
        "  if (!(await stillOurs(run, action))) return withdraw(run, action.key, action.intended);",
        "  if (!isOurs) return withdraw(run, action.key, action.intended);",
      ),
    ],
  },
  {
    name: "a-withdrawn-size-stays-announced",
    test: "test/sync/operations.test.ts",
    changes: [
      change(
        act,
        "{ ...withoutLatest(intended), version: intended.version + 1 }",
        "{ ...intended, version: intended.version + 1 }",
      ),
    ],
  },
  {
    name: "a-renewed-intent-is-not-announced",
    kind: "aimed",
    within: 40,
    changes: [
      change(
        act,
        '      if (!(await isStored(run, action.key, state))) return { kind: "superseded" };\n      if (!(await stillOurs',
        "      if (!(await stillOurs",
      ),
    ],
  },
  {
    name: "a-renewed-intent-is-not-checked-again",
    test: "test/sync/operations.test.ts",
    changes: [change(act, "if (!(await stillOurs(run, action))) return withdraw(run, action.key, state);", "")],
  },
  {
    name: "a-lost-answer-is-no-attempt",
    kind: "storm",
    within: 10,
    changes: [
      change(act, 'if (fault.kind !== "conflict") mayLand = true;', 'if (fault.kind === "timeout") mayLand = true;'),
    ],
  },
  {
    name: "a-size-after-conflicts-counts-as-its-own",
    test: "test/sync/scale/act.test.ts",
    changes: [change(act, "if (!mayLand) return withdraw(run, action.key, state);", "")],
  },
  {
    name: "a-size-that-somebody-set-is-overwritten",
    test: "test/sync/scale/act.test.ts",
    changes: [
      change(act, 'if (moved && !isSameCase(seen, action.scale)) return { kind: "failed", state, error };', ""),
    ],
  },
  {
    name: "a-target-that-was-made-again-is-the-same-case",
    test: "test/sync/scale/act.test.ts",
    changes: [
      change(
        act,
        "return seen.metadata.uid === decidedFrom.metadata.uid && currentReplicas(seen) === currentReplicas(decidedFrom);",
        "return currentReplicas(seen) === currentReplicas(decidedFrom);",
      ),
    ],
  },
  {
    name: "a-renewed-intent-keeps-the-earlier-ones",
    test: "test/sync/scale/act.test.ts",
    changes: [
      change(act, "const { earlier: _stale, earlierSizes: _staleToo, ...rest } = state;", "const rest = state;"),
    ],
  },
  {
    name: "of-two-intents-the-newer-one-landed",
    test: "test/sync/scale/intents.test.ts",
    changes: [change(intents, "open.findLast(({ to }) => to === size)", "open.find(({ to }) => to === size)")],
  },
  {
    name: "of-each-size-the-newest-intent-is-kept",
    test: "test/sync/scale/intents.test.ts",
    changes: [
      change(
        intents,
        "!open.slice(index + 1).some((older) => older.to === to)",
        "!open.slice(0, index).some((newer) => newer.to === to)",
      ),
    ],
  },
  {
    name: "a-failure-drops-the-earlier-intents",
    test: "test/sync/scale/rescale.test.ts",
    changes: [change(rescale, "const left = { ...next, ...openIntents(withoutLatest(state)) };", "const left = next;")],
  },
  {
    name: "a-refused-write-stays-announced",
    test: "test/sync/scale/rescale.test.ts",
    changes: [change(rescale, "...openIntents(withoutLatest(state)) };", "...openIntents(state) };")],
  },
  {
    name: "an-unknown-outcome-drops-its-intent",
    kind: "storm",
    within: 150,
    changes: [
      change(
        rescale,
        "const next = { ...state, version: state.version + 1, warnings };",
        "const next = { ...withoutLatest(state), version: state.version + 1, warnings };",
      ),
    ],
  },
  {
    name: "a-conclusion-forgets-open-intents",
    kind: "storm",
    within: 20,
    changes: [
      change(
        "lib/sync/hpa/record-decision.ts",
        "fitStateToItem({ ...remembered, ...openIntents(state) })",
        "fitStateToItem(remembered)",
      ),
    ],
  },
  {
    name: "a-conclusion-is-written-after-its-slot",
    test: "test/sync/hpa/sync-hpa.test.ts",
    changes: [
      change(
        "lib/sync/hpa/record-decision.ts",
        "if (!run.time.inTime()) return hpaResult(task, { recorded: false, warnings, events });",
        "",
      ),
    ],
  },
  {
    name: "a-landing-is-recorded-after-its-state",
    test: "test/sync/operations.test.ts",
    changes: [
      change(
        "lib/sync/hpa/record-decision.ts",
        "    if (appliedIntent !== undefined) await recordDecision(run, task.key, appliedRecord(appliedIntent));\n",
        "",
      ),
      change(
        "lib/sync/hpa/record-decision.ts",
        "    return { ...hpaResult(task, { recorded: ok, warnings, events }), status: next.status };\n  });",
        "    if (appliedIntent !== undefined) await recordDecision(run, task.key, appliedRecord(appliedIntent));\n    return { ...hpaResult(task, { recorded: ok, warnings, events }), status: next.status };\n  });",
      ),
    ],
  },
  {
    name: "a-scaling-is-recorded-after-its-state",
    kind: "storm",
    within: 150,
    changes: [
      change(
        rescale,
        "  await recordDecision(run, task.key, { ...explained, scaleTo: to, events: decision.events });\n",
        "",
      ),
      change(
        rescale,
        "  const result = hpaResult(task, { recorded, warnings: wanted.warnings, events: wanted.events });\n",
        "  await recordDecision(run, task.key, { ...explained, scaleTo: to, events: decision.events });\n  const result = hpaResult(task, { recorded, warnings: wanted.warnings, events: wanted.events });\n",
      ),
    ],
  },
  {
    name: "the-next-scaling-does-not-record-a-landing",
    kind: "storm",
    within: 80,
    changes: [
      change(
        rescale,
        "if (appliedIntent !== undefined && run.time.inTime()) await recordDecision(run, key, appliedRecord(appliedIntent));",
        "",
      ),
    ],
  },
  {
    name: "a-found-scaling-is-not-reported",
    kind: "storm",
    within: 50,
    changes: [
      change(
        rescale,
        "if (appliedIntent !== undefined) reportScaled(run, key, { ...appliedIntent, hpa });",
        "if (appliedIntent === undefined) reportScaled(run, key, { ...(appliedIntent as unknown as Intent), hpa });",
      ),
    ],
  },
  {
    name: "a-scaling-is-reported-before-it-is-announced",
    test: "test/sync/slots.test.ts",
    changes: [
      change(
        rescale,
        "const recorded = await reporting(() => run.records.putState(task.key, settled), report);",
        "report();\n  const recorded = (await run.records.putState(task.key, settled)).ok;",
      ),
    ],
  },
  {
    name: "a-paused-hpa-leaves-its-intents-open",
    test: "test/sync/hpa/sync-hpa.test.ts",
    changes: [
      change(
        syncHpa,
        "return intent !== undefined || Math.floor",
        "return (intent === undefined && slot < 0) || Math.floor",
      ),
    ],
  },
  {
    name: "an-announced-slot-counts-as-recorded",
    test: "test/sync/hpa/sync-hpa.test.ts",
    changes: [change(syncHpa, "recorded: stored.intent === undefined, warnings", "recorded: true, warnings")],
  },
  {
    name: "a-slot-before-a-wake-is-a-sighting",
    kind: "aimed",
    within: 90,
    changes: [
      change(
        syncHpa,
        "so that this slot does not observe it.\n    return hpaResult(task, { recorded: false, warnings: [], events: [] });",
        "so that this slot does not observe it.\n    return hpaResult(task, { recorded: true, warnings: [], events: [] });",
      ),
    ],
  },
  {
    name: "reads-that-ran-out-of-time-are-decided",
    test: "test/sync/own-periods.test.ts",
    changes: [change(syncHpa, "run.time.reads.aborted || ", "")],
  },
  {
    name: "an-entry-keeps-the-state-of-a-paused-metric",
    test: "test/sync/hpa/sync-hpa.test.ts",
    changes: [change(syncHpa, "return { ...nothingRead, readings };", "return nothingRead;")],
  },
  {
    name: "a-wake-claims-what-is-overtaken",
    test: "test/sync/own-periods.test.ts",
    changes: [change("lib/sync/slot/claim.ts", 'if (isAhead(current, at)) return "overtaken";', "")],
  },
  {
    name: "an-older-wake-overtakes-a-newer-one",
    test: "test/sync/own-periods.test.ts",
    changes: [
      change(
        "lib/sync/slot/claim.ts",
        "(wake.at > at || (wake.at === at && wake.done))",
        "(wake.at === at && wake.done)",
      ),
    ],
  },
  {
    name: "a-wake-announces-after-its-writes",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        woken,
        "    await recordChange(store, shard, { until, keys, states: contents.states, missing }, context.signal);\n",
        "    void missing;\n",
      ),
      change(
        "lib/sync/wake/sync-woken.ts",
        "  const recorded = results.filter((result) => result.recorded);\n",
        "  const change = { until: periodStart(context.now(), periodMs) + periodMs, keys, states: contents.states };\n  if (shard !== undefined) await recordChange(store, shard, change, context.signal);\n  const recorded = results.filter((result) => result.recorded);\n",
      ),
    ],
  },
  {
    name: "a-wake-announces-its-slots-start",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        woken,
        "const until = periodStart(context.now(), periodMs) + periodMs;\n    const missing",
        "const until = periodStart(context.now(), periodMs);\n    const missing",
      ),
    ],
  },
  {
    name: "a-wake-counts-as-a-slot",
    test: "test/sync/wakes.test.ts",
    changes: [
      change(
        woken,
        "writerId: ({ slot }) => ({ slot, wake: { at, done: true } }),",
        "writerId: () => ({ slot: at, wake: { at, done: true } }),",
      ),
    ],
  },
  {
    name: "a-wake-outlasts-its-slot",
    test: "test/sync/own-periods.test.ts",
    changes: [change(woken, "(shard === undefined ? at : periodStart(at, periodMs)) + periodMs;", "at + periodMs;")],
  },
  {
    name: "a-wake-goes-on-after-a-later-slot",
    test: "test/sync/wakes.test.ts",
    changes: [
      change(
        woken,
        "(found === undefined ? shard !== undefined : found.slot >= at)",
        "(found === undefined ? shard !== undefined : found.slot >= at + 3_600_000)",
      ),
    ],
  },
  {
    name: "a-wake-comes-from-the-future",
    test: "test/sync/wakes.test.ts",
    changes: [change(woken, "const at = Math.min(wakeAt, startedAt);", "const at = wakeAt;")],
  },
  {
    name: "an-open-intent-rests",
    test: "test/sync/own-periods.test.ts",
    changes: [change(slotTasks, "state.intent !== undefined || ", "")],
  },
  {
    name: "an-hpa-that-is-behind-rests",
    test: "test/sync/own-periods.test.ts",
    changes: [change(slotTasks, "    laggingSince(shard, task.key) !== undefined ||\n", "")],
  },
  {
    name: "a-woken-hpa-rests",
    test: "test/sync/own-periods.test.ts",
    changes: [change(slotTasks, "    isWoken(task.state, shard) ||\n    isDueAnyway", "    isDueAnyway")],
  },
  {
    name: "a-zero-to-be-confirmed-rests",
    test: "test/sync/own-periods.test.ts",
    changes: [change(slotTasks, " || state.confirming === true) return true;", ") return true;")],
  },
  {
    name: "behind-is-forgotten-while-resting",
    test: "test/sync/own-periods.test.ts",
    changes: [
      change(
        seenInSlot,
        "    ...stillLagging.map((hpa) => [hpa.key, lastObservedAt(shard, hpa)] as const),\n",
        "    ...stillLagging.slice(stillLagging.length).map((hpa) => [hpa.key, lastObservedAt(shard, hpa)] as const),\n",
      ),
    ],
  },
  {
    name: "what-is-behind-was-seen-with-the-heartbeat",
    test: "test/sync/slot/count-failing.test.ts",
    changes: [
      change(
        seenInSlot,
        "...missed.map(({ key }) => [key, lastObservedAt(shard, { key, periodClass: classes.get(key) })] as const),",
        "...missed.map(({ key }) => [key, lastObservedAt({ ...shard, behind: {} }, { key, periodClass: classes.get(key) })] as const),",
      ),
    ],
  },
  {
    name: "behind-since-the-first-slot",
    test: "test/sync/slot/slot-tasks.test.ts",
    changes: [
      change(
        seenInSlot,
        "...missed.map(({ key }) => [key, lastObservedAt(shard, { key, periodClass: classes.get(key) })] as const),",
        "...missed.map(({ key }) => [key, Math.min(shard.slot, lastObservedAt(shard, { key, periodClass: classes.get(key) }))] as const),",
      ),
    ],
  },
  {
    name: "a-slot-of-the-future-is-finished",
    test: "test/sync/slot/finish-slot.test.ts",
    changes: [change(finishSlot, "return slot - now > skewMs;", "return slot - now > 1_000 * skewMs;")],
  },
  {
    name: "a-slot-finishes-over-the-shard-it-loaded",
    test: "test/sync/slot/finish-slot.test.ts",
    changes: [
      change(
        finishSlot,
        "const after = next(current);",
        "const after = { ...next(loaded), version: current.version + 1 };",
      ),
    ],
  },
  {
    name: "a-failed-slot-was-seen",
    test: "test/sync/slot/count-failing.test.ts",
    changes: [
      change(
        "lib/sync/slot/finish-slot.ts",
        "    slot: message.slot,\n",
        "    slot: message.slot,\n    heartbeat: now,\n",
      ),
    ],
  },
  {
    name: "a-failed-slot-does-not-count",
    test: "test/sync/slot/sync-shard.test.ts",
    changes: [change("lib/sync/slot/finish-slot.ts", "    slot: message.slot,\n", "    slot: current.slot,\n")],
  },
  {
    name: "a-late-message-is-synced",
    kind: "drift",
    within: 30,
    changes: [change("lib/sync/slot/sync-shard.ts", 'if (startedAt >= message.until) return counted("late");', "")],
  },
  {
    name: "a-slot-begins-before-its-time",
    test: "test/sync/slot/sync-shard.test.ts",
    changes: [
      change("lib/sync/slot/sync-shard.ts", "const now = Math.max(startedAt, message.slot);", "const now = startedAt;"),
    ],
  },
  {
    name: "a-fenced-run-announces-nothing",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        "lib/sync/slot/sync-shard.ts",
        "if (outcome.hasWritten) await recordChange(store, shard, change, context.signal);",
        "",
      ),
    ],
  },
  {
    name: "every-write-was-answered",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change("lib/sync/slot/sync-shard.ts", "isSure: results.every(({ recorded }) => recorded),", "isSure: true,"),
    ],
  },
  {
    name: "what-a-process-keeps-never-ends",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        "lib/sync/slot/shard-cache.ts",
        "slot - loadedAt < longestCachedMs",
        "slot - loadedAt < 1e3 * longestCachedMs",
      ),
    ],
  },
  {
    name: "what-a-split-shard-had-is-kept",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        "lib/sync/slot/shard-cache.ts",
        "if (confirmed === undefined || shard.to !== to) return false;",
        "if (confirmed === undefined || to === to + shard.from + 1) return false;",
      ),
    ],
  },
  {
    name: "a-change-that-was-announced-is-not-heard",
    kind: "random",
    within: 40,
    changes: [
      change(
        "lib/sync/slot/shard-cache.ts",
        "return isFinished && from >= confirmed.changed &&",
        "return isFinished &&",
      ),
    ],
  },
  {
    name: "an-unfinished-slot-keeps-what-it-had",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        "lib/sync/slot/shard-cache.ts",
        "return isFinished && from >= confirmed.changed",
        "return (isFinished || slot > 0) && from >= confirmed.changed",
      ),
    ],
  },
  {
    name: "a-failed-sync-keeps-what-it-had",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change(
        "lib/sync/slot/shard-cache.ts",
        "      const found = shards.get(id);\n      shards.delete(id);",
        "      const found = shards.get(id);",
      ),
    ],
  },
  {
    name: "one-announcement-is-enough",
    kind: "random",
    within: 40,
    changes: [
      change(confirmed, "if (known.changed >= end && added.length === 0) return", "if (known.changed > 0) return"),
    ],
  },
  {
    name: "a-state-is-deleted-before-its-records",
    test: "test/sync/slot/forget-hpa.test.ts",
    changes: [
      change(
        "lib/sync/slot/record-change.ts",
        "  for (let round = 1; round <= maxRounds; round++) {",
        "  await store.deleteState(cluster, key, version, signal);\n  for (let round = 1; round <= maxRounds; round++) {",
      ),
    ],
  },
  {
    name: "a-merge-forgets-who-is-behind",
    test: "test/scheduler/reshard.test.ts",
    changes: [change(reshard, "behind: { ...left.behind, ...right.behind },", "behind: left.behind,")],
  },
  {
    name: "a-merge-puts-confirmed-back",
    test: "test/scheduler/reshard.test.ts",
    changes: [
      change(
        reshard,
        "await store.createShard(unconfirmed(right), signal);",
        "await store.createShard(right, signal);",
      ),
    ],
  },
  {
    name: "a-merge-widens-before-it-deletes",
    kind: "aimed",
    within: 60,
    changes: [
      change(reshard, "  if (!(await store.replaceShard(right, null, signal))) return shards;\n", ""),
      change(
        reshard,
        "  if (replaced.to === right.to) return [...shards.slice(0, index), replaced",
        "  if (replaced.to === right.to && (await store.replaceShard(right, null, signal))) return [...shards.slice(0, index), replaced",
      ),
    ],
  },
  {
    name: "shards-of-different-slots-are-merged",
    test: "test/scheduler/reshard-limits.test.ts",
    changes: [
      change(
        "lib/model/stored/shard-size.ts",
        "right === undefined || left.slot !== right.slot",
        "right === undefined",
      ),
    ],
  },
  {
    name: "the-new-half-starts-its-slots-again",
    test: "test/scheduler/reshard-limits.test.ts",
    changes: [
      change(
        reshard,
        "from: middle, version: firstVersion(now()), ...movedTo(heartbeat, [shard]) };",
        "from: middle, slot: 0, version: firstVersion(now()), ...movedTo(heartbeat, [shard]) };",
      ),
    ],
  },
  {
    name: "a-closed-gap-takes-the-old-heartbeat",
    test: "test/scheduler/reshard-limits.test.ts",
    changes: [
      change(
        reshard,
        "{ ...unclassed, to, heartbeat: Math.max(shard.heartbeat, now()) }",
        "{ ...unclassed, to, heartbeat: Math.max(shard.heartbeat, 0 * now()) }",
      ),
    ],
  },
  {
    name: "a-closed-gap-keeps-its-classes",
    test: "test/sync/own-periods.test.ts",
    changes: [change(reshard, "? { ...unclassed, to,", "? { ...shard, ...unclassed, to,")],
  },
  {
    name: "a-shard-made-again-has-seen-nothing",
    test: "test/scheduler/reshard-limits.test.ts",
    changes: [
      change(
        reshard,
        "slot: 0, heartbeat: now, behind: {}, entries: 0 };",
        "slot: 0, heartbeat: 0 * now, behind: {}, entries: 0 };",
      ),
    ],
  },
  {
    name: "a-tick-plans-its-own-minute",
    test: "test/scheduler/plan-slots.test.ts",
    changes: [
      change(
        "lib/scheduler/tick.ts",
        "(Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;",
        "Math.floor(scheduledAt / minuteMs) * minuteMs;",
      ),
    ],
  },
  {
    name: "slots-overlap",
    test: "test/scheduler/plan-slots.test.ts",
    changes: [change("lib/scheduler/tick.ts", "const until = slot + periodMs;", "const until = slot + 2 * periodMs;")],
  },
  {
    name: "another-zero-is-woken",
    test: "test/poller/wakes.test.ts",
    changes: [
      change(
        wakesFile,
        'isAtZero(status) && (status.lastScaleTime ?? "") === since;',
        "isAtZero(status) && since !== undefined;",
      ),
    ],
  },
  {
    name: "a-handover-forgets-the-waits",
    test: "test/poller/lease.test.ts",
    changes: [change(lease, "...(role && { role }), ...(waits && { waits }) };", "...(role && { role }) };")],
  },
  {
    name: "a-late-poller-takes-the-waits-back",
    test: "test/poller/lease.test.ts",
    changes: [
      change(lease, "const left = isHeld ? waits : others;", "const left = waits ?? (isHeld ? others : undefined);"),
    ],
  },
  {
    name: "the-tick-does-not-act-on-large-items",
    test: "test/sync/limits/large-shard.test.ts",
    changes: [
      change("lib/model/stored/shard-size.ts", "itemBytes: () => mostItemBytes,", "itemBytes: () => Infinity,"),
    ],
  },
  {
    name: "a-zero-of-another-version-is-adopted",
    test: "test/sync/restore.test.ts",
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "if (lastZero !== undefined && scale.metadata.resourceVersion === lastZero)",
        "if (lastZero !== undefined)",
      ),
    ],
  },
  {
    name: "a-zero-that-ebb-ended-is-not-remembered",
    test: "test/sync/restore.test.ts",
    changes: [change(rescale, "...nextState(state, remembered), ...lastZero,", "...nextState(state, remembered),")],
  },
  {
    name: "a-zero-is-woken-every-five-seconds",
    test: "test/poller/wakes.test.ts",
    changes: [change(waitsFile, "Math.min(2 * last.waitMs, longestWaitMs)", "Math.min(last.waitMs, longestWaitMs)")],
  },
  {
    name: "a-poller-reads-without-a-lease",
    test: "test/poller/lease-renewal.test.ts",
    changes: [
      change("lib/poller/poll-loop.ts", "held !== undefined && now() < held.until - skewMs;", "held !== undefined;"),
    ],
  },
  {
    name: "a-poller-does-not-give-way",
    test: "test/poller/lease-renewal.test.ts",
    changes: [
      change(
        "lib/poller/poll-loop.ts",
        "held !== undefined && held.next === undefined && held.until < latest;",
        "held !== undefined && held.until < latest;",
      ),
      change(
        lease,
        "if (lease.next === undefined && (await store.replacePollerLease(lease, renewed, signal))) return renewed;",
        "if (await store.replacePollerLease(lease, renewed, signal)) return renewed;",
      ),
    ],
  },
  {
    name: "an-older-poller-takes-over",
    test: "test/poller/lease.test.ts",
    changes: [
      change(
        lease,
        'else if (Math.max(found.minute, found.next?.minute ?? 0) >= poller.minute) return { kind: "taken" };',
        "",
      ),
    ],
  },
  {
    name: "a-new-poller-forgets-what-was-spent",
    test: "test/poller/lease.test.ts",
    changes: [
      change(lease, "const spending = spendingIn(at, found?.spending);", "const spending = spendingIn(at, undefined);"),
    ],
  },
  {
    name: "a-poller-ends-anothers-lease",
    test: "test/poller/lease.test.ts",
    changes: [
      change(
        lease,
        "const until = isHeld ? Math.min(found.until, now) : found.until;",
        "const until = Math.min(found.until, now);",
      ),
    ],
  },
  {
    name: "a-zero-that-has-ended-is-read-on",
    test: "test/poller/run-poller.test.ts",
    changes: [
      change(
        "lib/poller/polled-queries.ts",
        "if (!ended.has(zeroText(id))) wanted.push({ id, cluster, idle: one });",
        "wanted.push({ id, cluster, idle: one });",
      ),
    ],
  },
  {
    name: "an-idle-set-is-read-once",
    test: "test/poller/run-poller.test.ts",
    changes: [
      change(
        "lib/poller/polled-queries.ts",
        "loaded.markOf(idOf(shard)) !== markOf(shard)",
        "loaded.markOf(idOf(shard)) === undefined",
      ),
    ],
  },
  {
    name: "a-shard-that-is-awake-stays-watched",
    test: "test/poller/run-poller.test.ts",
    changes: [
      change(
        "lib/poller/polled-queries.ts",
        "for (const id of loaded.ids().filter((id) => !left.has(id))) {",
        'for (const id of loaded.ids().filter((id) => !left.has(id) && id === "")) {',
      ),
    ],
  },
  {
    name: "a-query-under-way-is-asked-again",
    test: "test/poller/poll.test.ts",
    changes: [change("lib/poller/poll.ts", "if (underWay.has(query.id) || (query", "if ((query")],
  },
  {
    name: "a-kept-reading-is-read-each-second",
    test: "test/poller/poll.test.ts",
    changes: [
      change(
        "lib/poller/poll.ts",
        "return window !== undefined && window !== last;",
        "return window !== undefined || window !== last;",
      ),
    ],
  },
  {
    name: "a-zero-by-hand-is-watched",
    test: "test/sync/slot/idle-after.test.ts",
    changes: [
      change(
        "lib/core/conditions.ts",
        'return desiredReplicas === 0 && isTrue(conditions, "ScaledToZero");',
        'return desiredReplicas === 0 && (isTrue(conditions, "ScaledToZero") || conditions !== undefined);',
      ),
    ],
  },
  {
    name: "a-paused-zero-is-watched",
    test: "test/sync/slot/idle-hpas.test.ts",
    changes: [
      change(
        "lib/sync/slot/idle-hpas.ts",
        "dryRun || isPaused(operations, now) || minReplicas",
        "dryRun || now < 0 || minReplicas",
      ),
    ],
  },
  {
    name: "a-throttled-retry-was-not-done",
    test: "test/table/requests/conditional-write.test.ts",
    changes: [
      change(
        writes,
        "if (!isAmbiguous(fault) && attemptsOf(error) === 1) throw fault;",
        "if (!isAmbiguous(fault)) throw fault;",
      ),
    ],
  },
  {
    name: "a-lost-write-was-not-done",
    test: "test/table/requests/conditional-write.test.ts",
    changes: [
      change(
        writes,
        'if (found === "notDone" && !isAmbiguous(fault)) throw fault;',
        'if (found === "notDone") throw new Fault("unreachable", fault.message);',
      ),
    ],
  },
  {
    name: "a-deletion-by-another-is-its-own",
    test: "test/table/requests/conditional-write.test.ts",
    changes: [
      change(writes, "stored === undefined && askedAgain;", "stored === undefined && (askedAgain || !askedAgain);"),
    ],
  },
  {
    name: "items-of-a-batch-come-in-any-order",
    test: "test/table/requests/together.test.ts",
    changes: [
      change(
        items,
        "return keys.map((key) => found.get(nameOf(key)));",
        "const all = [...found.values()].reverse();\n  return keys.map((_, index) => all[index]);",
      ),
    ],
  },
  {
    name: "a-range-includes-its-end",
    test: "test/table/requests/reads.test.ts",
    changes: [
      change(reads, "(item.sk?.S === high ? [] : [decode(item)])", "(item.sk?.S === `${high}!` ? [] : [decode(item)])"),
    ],
  },
  {
    name: "a-scale-of-any-version-is-read",
    test: "test/cluster/api/scales/scale.test.ts",
    changes: [
      change(
        "lib/cluster/api/scales/scale.ts",
        "if (!isVersionText(resourceVersion)) {",
        "if (resourceVersion === null) {",
      ),
    ],
  },
  {
    name: "negative-replicas-are-read",
    test: "test/cluster/api/scales/custom-scales.test.ts",
    changes: [
      change(
        "lib/cluster/api/scales/scale.ts",
        "Number.isInteger(value) && value >= 0 && value <= MAX_INT32",
        "Number.isInteger(value)",
      ),
    ],
  },
  {
    name: "replicas-that-cannot-be-read-are-zero",
    test: "test/cluster/api/scales/custom-scales.test.ts",
    changes: [
      change(
        "lib/cluster/api/scales/scale.ts",
        "if (value === undefined) return 0;",
        'if (typeof value !== "number") return 0;',
      ),
    ],
  },
  {
    name: "a-write-carries-no-uid",
    test: "test/cluster/api/scales/scale.test.ts",
    changes: [
      change(
        "lib/cluster/api/scales/scale.ts",
        "...present({ uid }),\n    },",
        "...(uid === null ? { uid } : {}),\n    },",
      ),
    ],
  },
  {
    name: "a-write-without-an-answer-was-not-done",
    test: "test/cluster/api/access-review.test.ts",
    changes: [
      change(
        "lib/cluster/api/api-fault.ts",
        "if (isWrite(subject) && outcome.sent)",
        'if (isWrite(subject) && subject.path === "")',
      ),
    ],
  },
  {
    name: "a-write-is-sent-again-after-a-reset",
    test: "test/cluster/api/scales/two-resources.test.ts",
    changes: [
      change(
        "lib/cluster/api/api-client.ts",
        'if (!isRead || answer.failure !== "reset"',
        'if (answer.failure !== "reset"',
      ),
    ],
  },
  {
    name: "another-period-is-not-noticed",
    test: "test/sync/own-periods.test.ts",
    changes: [
      change(
        slotTasks,
        'return "errors" in entry || entry.syncPeriodSeconds !== state.syncPeriodSeconds;',
        'return "errors" in entry;',
      ),
    ],
  },
  {
    name: "a-failed-slot-was-a-sync",
    test: "test/sync/own-periods.test.ts",
    changes: [
      change(
        slotTasks,
        "return heartbeat >= slot ? slot : heartbeat - (message.until - message.slot);",
        "return heartbeat >= 0 ? slot : message.slot;",
      ),
    ],
  },
  {
    name: "an-idle-set-that-was-not-written-is-shown",
    test: "test/sync/slot/idle-hpas.test.ts",
    changes: [
      change(
        "lib/sync/slot/write-idle-index.ts",
        "message: error.message, at: context.now() });\n    return before;",
        "message: error.message, at: context.now() });\n    return { hash, at: message.slot };",
      ),
    ],
  },
  {
    name: "a-deleted-state-is-kept",
    test: "test/sync/shard-cache.test.ts",
    changes: [
      change("lib/sync/slot/shard-cache.ts", "if (isDone) done(key, undefined);", "if (!isDone) done(key, undefined);"),
    ],
  },
  {
    name: "a-list-of-one-page-is-all-there-is",
    test: "test/cluster/api/pods.test.ts",
    changes: [
      change("lib/cluster/api/pages.ts", "if (token === undefined) return items;", 'if (token !== "") return items;'),
    ],
  },
  {
    name: "a-pod-that-cannot-be-read-is-left-out",
    test: "test/cluster/api/pods.test.ts",
    changes: [
      change(
        "lib/cluster/api/pods.ts",
        "return items.map((item) => (isMap(item) ? (item as unknown as Pod) : unreadable(undefined)));",
        "return items.filter(isMap).map((item) => item as unknown as Pod).filter((pod) => pod.unreadable !== true);",
      ),
    ],
  },
  {
    name: "items-that-are-no-list-are-empty",
    test: "test/cluster/api/pods.test.ts",
    changes: [
      change(
        "lib/cluster/api/pages.ts",
        "  if (Array.isArray(items)) return items;\n",
        "  if (!Array.isArray(items)) return [];\n  if (Array.isArray(items)) return items;\n",
      ),
    ],
  },
  {
    name: "a-pods-metric-that-cannot-be-read-is-left-in",
    test: "test/cluster/api/metrics-apis.test.ts",
    changes: [
      change(
        "lib/cluster/api/metrics-apis.ts",
        'return isName(item["describedObject"]["name"]) && isQuantity(item["value"]);',
        'return isName(item["describedObject"]["name"]);',
      ),
    ],
  },
  {
    name: "a-container-that-cannot-be-read-uses-nothing",
    test: "test/cluster/api/metrics-apis.test.ts",
    changes: [
      change(
        "lib/cluster/api/metrics-apis.ts",
        "  if (read.includes(undefined)) return undefined;\n  return {\n    metadata: { name, ...(isName(namespace)",
        "  return {\n    metadata: { name, ...(isName(namespace)",
      ),
      change(
        "lib/cluster/api/metrics-apis.ts",
        "    containers: read as PodMetrics",
        "    containers: read.filter((one) => one !== undefined) as PodMetrics",
      ),
    ],
  },
  {
    name: "an-hpa-that-fails-halts-the-others",
    test: "test/sync/slot/run-tasks.test.ts",
    changes: [
      change(
        "lib/sync/slot/run-tasks.ts",
        "timed(context.now, () => alone(task.key, () => syncHpa(run, task)))",
        "timed(context.now, () => syncHpa(run, task))",
      ),
    ],
  },
  {
    name: "an-entry-that-came-back-is-forgotten",
    test: "test/sync/slot/forget-hpa.test.ts",
    changes: [
      change(
        "lib/sync/slot/record-change.ts",
        "  if ((await store.document(cluster, key, signal)) !== undefined) return;\n  events.forget",
        "  events.forget",
      ),
    ],
  },
  {
    name: "a-run-that-a-state-closes-is-not-marked",
    test: "test/sync/several-runs.test.ts",
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "...((hasConcurrentReader && isClosed) || state.closedAt === at ? { closedAt: at } : {}),",
        "...(hasConcurrentReader && isClosed && state.closedAt === at ? { closedAt: at } : {}),",
      ),
    ],
  },
  {
    name: "the-open-run-that-closed-was-never-seen-again",
    test: "test/sync/several-runs.test.ts",
    changes: [
      change(
        "lib/model/stored/last-observed.ts",
        "index === closed ? (closedSpanObserved ?? 0) : 0",
        "0 * Number(closed) * (closedSpanObserved ?? 0)",
      ),
    ],
  },
  {
    name: "a-target-of-another-object-keeps-its-intents",
    test: "test/sync/hpa/next-state.test.ts",
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "const { intent: _, earlier: __, earlierSizes: ___, lastZero: ____, ...rest } = state;",
        "const rest = state;",
      ),
    ],
  },
  {
    name: "events-that-are-new-are-not-written",
    test: "test/sync/hpa/next-state.test.ts",
    changes: [
      change(
        "lib/sync/hpa/next-state.ts",
        "return next.every((event) => before.some((known) => isDeepStrictEqual(known, event)));",
        "return next.length >= 0 || before.length >= 0;",
      ),
    ],
  },
  {
    name: "a-closed-run-is-no-news",
    test: "test/sync/hpa/next-state.test.ts",
    changes: [change("lib/sync/hpa/next-state.ts", "    before.open === next.open &&\n", "")],
  },
  {
    name: "a-changed-run-is-no-news",
    test: "test/sync/hpa/next-state.test.ts",
    changes: [change("lib/sync/hpa/next-state.ts", "    sameSpan(before.history, next.history) &&\n", "")],
  },
  {
    name: "a-new-shard-gets-no-slots-of-this-minute",
    test: "test/scheduler/tick.test.ts",
    changes: [
      change("lib/scheduler/tick.ts", "plan(cluster, [scheduledAt - minuteMs, scheduledAt])", "plan(cluster, [])"),
    ],
  },
  {
    name: "one-cluster-that-cannot-be-reshaped-stops-the-tick",
    test: "test/scheduler/tick.test.ts",
    changes: [
      change(
        "lib/scheduler/tick.ts",
        '    if (!isFault(error)) throw error;\n    ports.reporter.failed({ cluster: name, reason: "FailedReshard"',
        '    if (error !== undefined) throw error;\n    ports.reporter.failed({ cluster: name, reason: "FailedReshard"',
      ),
    ],
  },
  {
    name: "the-next-resource-is-written-after-any-error",
    test: "test/cluster/api/scales/two-resources.test.ts",
    changes: [
      change(
        "lib/cluster/api/scales/scale.ts",
        'if (!isFault(error, "notFound") && !isFault(error, "forbidden")) throw first ?? error;',
        "if (!isFault(error)) throw first ?? error;",
      ),
    ],
  },
  {
    name: "large-sources-are-text-for-each-metric",
    kind: "size",
    within: 9,
    changes: [
      change("lib/model/entry/limits.ts", "sourceBytes: 16 * 1024,", "sourceBytes: 128 * 1024,"),
      change("lib/model/metric/query-key.ts", "if (hash === undefined) return", "if (hash !== null) return"),
      change(
        "lib/model/metric/query-key.ts",
        "return text.length <= longestKey ? text : hashed(text);",
        "return text;",
      ),
      change(
        "lib/sync/slot/run-tasks.ts",
        "...(ports.runMemory !== undefined && { memory: ports.runMemory }),",
        "memory: Infinity,",
      ),
    ],
  },
  {
    name: "selectors-are-parsed-as-often-as-asked",
    kind: "size",
    within: 10,
    changes: [
      change(
        "lib/readings/overlapping-selectors.ts",
        "if (selector.length <= mostCharacters) return selector;",
        "if (selector) return selector;",
      ),
      change("lib/model/entry/limits.ts", "selectorCharacters: 4_096,", "selectorCharacters: 1_000_000,"),
    ],
  },
  {
    name: "metrics-of-a-shard-have-no-bound",
    kind: "size",
    within: 11,
    changes: [change("lib/sync/slot/bound-tasks.ts", "if (all <= most) return", "if (all >= 0) return")],
  },
  {
    name: "metrics-beyond-a-share-are-looked-up",
    kind: "size",
    within: 11,
    changes: [
      change("lib/sync/slot/bound-tasks.ts", "if (all <= most) return", "if (all >= 0) return"),
      change(
        "lib/readings/list-queries.ts",
        "if (of(listing) > Math.max(1, shares[index] ?? 0)) listing.isClosed = true;",
        "of(listing);",
      ),
    ],
  },
  {
    name: "watched-hpas-repeat-any-sources",
    test: "test/sync/slot/idle-after.test.ts",
    changes: [change("lib/sync/slot/idle-hpas.ts", "bytes: 4 * 1024 * 1024 }", "bytes: Infinity }")],
  },
  {
    name: "packed-items-unpack-to-any-size",
    kind: "size",
    within: 30,
    changes: [
      change(
        "lib/table/items/unpack.ts",
        "const maxOutputLength = Math.min(mostUnpacked, room.left);",
        "const maxOutputLength = 2 ** 30;",
      ),
    ],
  },
  {
    name: "packed-items-have-any-number-of-keys",
    kind: "size",
    within: 30,
    changes: [
      change("lib/table/items/unpack.ts", "if (keys > mostKeys) return undefined;", "if (keys < 0) return undefined;"),
      change("lib/table/items/unpack.ts", "const bytesPerKey = 1_024;", "const bytesPerKey = 0;"),
    ],
  },
  {
    name: "a-read-of-packed-items-has-no-room",
    kind: "size",
    within: 30,
    changes: [
      change("lib/table/items/unpack.ts", "  if (bytes > room.left) return false;\n  room.left -= bytes;\n", ""),
    ],
  },
  {
    name: "a-slot-writes-its-index-after-reading",
    kind: "queues",
    within: 240,
    changes: [
      change(
        "lib/sync/slot/sync-shard.ts",
        "  const shown = await writeQueueIndex(ports, { shard, contents, message, context });\n",
        "",
      ),
      change(
        "lib/sync/slot/sync-shard.ts",
        "  const loadedAt = known?.loadedAt ?? message.slot;",
        "  const shown = await writeQueueIndex(ports, { shard, contents, message, context });\n  const loadedAt = known?.loadedAt ?? message.slot;",
      ),
    ],
  },
  {
    name: "what-an-index-lacks-is-not-searched",
    kind: "queues",
    within: 100,
    changes: [
      change(
        "lib/sync/wake/search-cluster.ts",
        "!lacks.some(([queue]) => hashes.includes(queue))",
        "lacks.length + hashes.length >= 0",
      ),
    ],
  },
  {
    name: "a-wake-does-not-say-what-the-index-lacks",
    kind: "queues",
    within: 100,
    changes: [
      change(
        "lib/sync/wake/write-queue-index.ts",
        "reads.filter((read) => !isNamed(index, read)),",
        "reads.filter((read) => !isNamed(index, read) && read.queues.length === 0),",
      ),
    ],
  },
  {
    name: "a-slot-forgets-what-its-wakes-found",
    test: "test/sync/wake/promise.property.test.ts",
    changes: [
      change(
        "lib/model/stored/queue-index.ts",
        "const isOver = (lack: MissingQueue) => names(lack) || (lack[2] < until && namesMissing(before, lack));",
        "const isOver = (lack: MissingQueue) => names(lack) || lack[2] <= until || namesMissing(before, lack);",
      ),
    ],
  },
  {
    name: "what-a-slot-removes-from-its-index-is-not-lacking",
    test: "test/sync/wake/outdated-index.test.ts",
    changes: [
      change(
        "lib/model/stored/queue-index.ts",
        "const lacks = [...known.filter((lack) => !isOver(lack)), ...removed];",
        "const lacks = [...known.filter((lack) => !isOver(lack)), ...removed.slice(removed.length)];",
      ),
    ],
  },
  {
    name: "an-index-of-another-version-counts",
    test: "test/sync/wake/outdated-index.test.ts",
    changes: [
      change(
        "lib/model/stored/queue-index.ts",
        "return index?.version === version ? index : undefined;",
        "return version >= 0 ? index : undefined;",
      ),
    ],
  },
  {
    name: "an-index-of-another-range-counts",
    test: "test/sync/wake/outdated-index.test.ts",
    changes: [
      change(
        "lib/model/stored/queue-index.ts",
        "return mark?.range === hashOfRange(shard) ? mark : undefined;",
        "return hashOfRange(shard) >= 0 ? mark : undefined;",
      ),
    ],
  },
  {
    name: "an-index-that-is-not-the-shards-counts",
    test: "test/sync/wake/outdated-index.test.ts",
    changes: [
      change(
        "lib/sync/wake/search-cluster.ts",
        "if (shard === undefined || usableRef(shard)?.hash !== hash) continue;",
        "if (shard === undefined) continue;",
      ),
    ],
  },
  {
    name: "equal-requests-are-searched-one-by-one",
    kind: "queues",
    within: 100,
    changes: [
      change(
        "functions/wake.ts",
        "        for await (const found of findWokenHpas({ reads, reporter }, wanted, { now, deadline, signal }))\n          await sendRequested(found, signal);",
        "        for (const one of requests)\n          for await (const found of findWokenHpas({ reads, reporter }, wantedBy([one]), { now, deadline, signal }))\n            await sendRequested(found, signal);",
      ),
    ],
  },
  {
    name: "what-is-left-over-does-not-go-around",
    test: "test/model/max-min.property.test.ts",
    changes: [change("lib/model/max-min.ts", "const round = rotation %", "const round = (0 * rotation) %")],
  },
  {
    name: "a-full-child-keeps-what-it-does-not-want",
    test: "test/model/max-min.property.test.ts",
    changes: [change("lib/model/max-min.ts", "left -= demand * per;", "left -= rate / ascending.length;")],
  },
  {
    name: "places-go-to-the-first-hpas",
    test: "test/poller/polled-queries.test.ts",
    changes: [
      change(
        "lib/poller/polled-queries.ts",
        "if (zeros.length <= mostHpas) return zeros;",
        "if (zeros.length > 0) return zeros.slice(0, mostHpas);",
      ),
    ],
  },
  {
    name: "a-record-that-was-written-over-is-reported-by-nobody",
    test: "test/sync/slots.test.ts",
    changes: [change(act, "if (written.ok || written.mayBeApplied) report();", "if (written.ok) report();")],
  },
  {
    name: "wakes-go-to-the-first-cluster",
    test: "test/scheduler/share-wakes.test.ts",
    changes: [change("lib/scheduler/plan-wakes.ts", "if (wanted <= most) return", "if (wanted >= 0) return")],
  },
  {
    name: "wakes-are-not-shared-by-cluster",
    test: "test/scheduler/share-wakes.test.ts",
    changes: [change("lib/scheduler/plan-wakes.ts", "[cluster, ...splitKey(key)]", "[...splitKey(key)]")],
  },
  {
    name: "the-first-hpa-pays-for-a-query",
    test: "test/poller/pace.test.ts",
    changes: [change("lib/poller/pace.ts", "if (share > (payers.get(query)?.share ?? -1))", "if (!payers.has(query))")],
  },
  {
    name: "queries-are-not-shared-by-namespace",
    test: "test/sync/limits/shares.test.ts",
    changes: [change("lib/readings/list-queries.ts", "(key) => splitKey(key)", "(key) => [key]")],
  },
  {
    name: "an-hpa-beyond-its-share-shows-nothing",
    test: "test/table/items/latest-item.test.ts",
    changes: [
      change("lib/table/items/packed.ts", "const left = cut(values, share - beside);", "const left = undefined;"),
    ],
  },
  {
    name: "unknown-pods-are-idle",
    kind: "busy",
    within: 200,
    changes: [change("lib/core/spare-busy.ts", "const count = busy.busy + busy.unknown;", "const count = busy.busy;")],
  },
  {
    name: "a-busy-pod-that-is-not-ready-goes",
    kind: "busy",
    within: 200,
    changes: [change("lib/core/spare-busy.ts", "if (busy.notReady > 0)", "if (busy.notReady < 0)")],
  },
  {
    name: "a-rollout-removes-busy-pods",
    kind: "busy",
    within: 200,
    changes: [change("lib/core/spare-busy.ts", "if (busy.replicaSets > 1)", "if (busy.replicaSets > 9)")],
  },
  {
    name: "what-nobody-knows-shrinks",
    kind: "busy",
    within: 400,
    changes: [
      change(
        "lib/core/spare-busy.ts",
        'if ("error" in busy) return { replicas: current,',
        'if ("error" in busy) return { replicas: 0,',
      ),
    ],
  },
  {
    name: "the-wait-for-busy-pods-begins-in-each-sync",
    kind: "busy",
    within: 30,
    changes: [change("lib/core/spare-busy.ts", "Math.min(sparedSince ?? now, now)", "now")],
  },
  {
    name: "busy-pods-wait-for-maxreplicas-alone",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/core/decide.ts",
        "return decide(situation, spareBusy(situation, gated, now), now);",
        "return decide(situation, gated, now);",
      ),
    ],
  },
  {
    name: "zero-by-activity-takes-busy-pods",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/core/evaluate.ts",
        "return decide(situation, spareBusy(situation, findings, now), now); // no smaller",
        "return decide(situation, idle ? findings : spareBusy(situation, findings, now), now); // no smaller",
      ),
    ],
  },
  {
    name: "costs-come-with-the-size",
    kind: "busy",
    within: 30,
    changes: [
      change("lib/sync/scale/wait-for-costs.ts", "changes.length > 0 && now - since >= mostMs", "changes.length > 0"),
    ],
  },
  {
    name: "a-crash-leaves-costs",
    kind: "busy",
    within: 30,
    changes: [
      change(
        "lib/sync/hpa/decide-sparing.ts",
        "return { deletionCosts: costs, warnings: [], ...",
        "return { deletionCosts, warnings: [], ...",
      ),
    ],
  },
  {
    name: "costs-go-before-the-pods",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/hpa/decide-sparing.ts",
        "if (!isQuiet || scale.status.replicas > currentReplicas(scale))",
        "if (!isQuiet)",
      ),
    ],
  },
  {
    name: "costs-go-without-a-claim",
    kind: "busy",
    within: 200,
    changes: [
      change("lib/sync/hpa/sync-hpa.ts", "mustWrite && result.recorded ? await patch()", "mustWrite ? await patch()"),
    ],
  },
  {
    name: "a-late-cost-is-forgotten",
    kind: "busy",
    within: 200,
    changes: [change("lib/sync/hpa/decide-sparing.ts", "isEarly ? { ...costs, again: true } : undefined", "undefined")],
  },
  {
    name: "a-deleted-hpa-forgets-a-late-cost",
    kind: "busy",
    within: 400,
    changes: [change("lib/sync/scale/deletion-costs.ts", "if (mayLand(at, run.time.now())) return false;", "")],
  },
  // A wake would have to come in the moment of the patches.
  {
    name: "costs-that-are-being-taken-away-count",
    test: "test/sync/busy.test.ts",
    changes: [
      change(
        "lib/sync/hpa/decide-sparing.ts",
        "return { deletionCosts: { at, selector }, warnings",
        "return { deletionCosts: costs, warnings",
      ),
    ],
  },
  // In 400 stories, no four minutes in which each slot finds other pods busy: slots whose writes fail may take as long.
  {
    name: "a-size-waits-for-costs-forever",
    test: "test/sync/busy.test.ts",
    changes: [change("lib/sync/scale/wait-for-costs.ts", "now - since >= mostMs", "now - since < 0")],
  },
  {
    name: "a-stopped-process-sends-a-late-patch",
    test: "test/net/exchange.test.ts",
    changes: [change("lib/net/exchange.ts", "call.mayStart?.() === false", "call.mayStart === null")],
  },
  {
    name: "costs-come-late-in-a-slot",
    kind: "busy",
    within: 200,
    changes: [change("lib/sync/scale/deletion-costs.ts", " && time.now() <= setAt + patchMs", "")],
  },
  // It costs requests, and breaks no promise.
  {
    name: "costs-go-between-two-steps-of-a-rate",
    test: "test/sync/busy.test.ts",
    changes: [change("lib/sync/hpa/decide-sparing.ts", " && !goesOnFalling(decision)", "")],
  },
  {
    name: "costs-go-while-a-size-may-land",
    kind: "busy",
    within: 400,
    changes: [change("lib/sync/hpa/decide-sparing.ts", " && intent === undefined", "")],
  },
  // It costs no pod, and ends with the limit.
  {
    name: "held-pods-keep-costs-under-a-rate-limit",
    test: "test/sync/busy.test.ts",
    changes: [
      change(
        "lib/sync/hpa/decide-sparing.ts",
        "return isLimited && !steps.some(({ limitedBy }) => limitedBy === SPARED_BUSY);",
        "return isLimited;",
      ),
    ],
  },
  {
    name: "the-cost-of-a-pod-that-cannot-be-read-is-forgotten",
    kind: "busy",
    within: 400,
    changes: [change("lib/sync/scale/deletion-costs.ts", "if (unreadable > 0)", "if (unreadable < 0)")],
  },
  // Every story ends with valid entries and targets that are there.
  {
    name: "a-halted-hpa-keeps-costs",
    test: "test/sync/busy.test.ts",
    changes: [change("lib/sync/hpa/decide-sparing.ts", "run.time.now() - costs.at) >= clearMs", "0) >= clearMs")],
  },
  // No story of busy pods has a clock that is wrong.
  {
    name: "a-clock-that-was-ahead-holds-a-size",
    test: "test/sync/scale/wait-for-costs.test.ts",
    changes: [change("lib/sync/scale/wait-for-costs.ts", "Math.min(before?.at ?? now, now)", "(before?.at ?? now)")],
  },
  {
    name: "a-deleted-hpa-leaves-costs",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/slot/run-tasks.ts",
        "costs === undefined || (await clearCosts",
        "costs !== null || (await clearCosts",
      ),
    ],
  },
  {
    name: "a-wake-forgets-costs",
    kind: "busy",
    within: 200,
    changes: [change(woken, " && !(hasSlots && deletionCosts !== undefined)", "")],
  },
  // In a story, an HPA has one target.
  {
    name: "an-earlier-target-keeps-costs",
    test: "test/sync/busy.test.ts",
    changes: [
      change(
        "lib/sync/scale/wait-for-costs.ts",
        "costs !== undefined && costs.selector !== selector",
        "costs !== undefined && costs.selector !== selector && false",
      ),
    ],
  },
  {
    name: "a-failed-removal-forgets-costs",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/scale/deletion-costs.ts",
        'patched?.kind === "ready" || run.time.now() > at + clearMs',
        "patched !== null",
      ),
    ],
  },
  {
    name: "a-users-cost-goes-with-ours",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/scale/plan-costs.ts",
        "pods.filter(({ isOwnCost }) => isOwnCost === true)",
        "pods.filter(({ isOwnCost }) => isOwnCost !== undefined)",
      ),
    ],
  },
  // A job would have to begin in the seconds in which a slow table writes the intent.
  {
    name: "an-old-reading-of-busy-pods-counts",
    test: "test/sync/busy.test.ts",
    changes: [change("lib/sync/scale/deletion-costs.ts", "<= freshMs;", "<= Infinity;")],
  },
  // After a minute of waiting, the order is best effort.
  {
    name: "a-refused-cost-is-ignored",
    test: "test/sync/busy.test.ts",
    changes: [
      change(
        "lib/sync/scale/deletion-costs.ts",
        'return scaling.holds(failed) ? { kind: "ready" } : patched;',
        'return { kind: "ready" };',
      ),
    ],
  },
  {
    name: "overdue-costs-come-any-time",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/scale/deletion-costs.ts",
        "patchAll(run, { namespace, changes, setAt });",
        "patchAll(run, { namespace, changes });",
      ),
    ],
  },
  {
    name: "idle-pods-outlive-one-that-cannot-be-read",
    kind: "busy",
    within: 200,
    changes: [change("lib/readings/read-busy.ts", "pods: unreadable > 0 ?", "pods: unreadable < 0 ?")],
  },
  {
    name: "another-reading-is-not-decided-again",
    kind: "busy",
    within: 200,
    changes: [
      change("lib/sync/scale/deletion-costs.ts", 'if (!scaling.holds(reading)) return { kind: "changed" };', ""),
    ],
  },
  {
    name: "a-users-cost-is-taken-over",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/scale/plan-costs.ts",
        "return cost !== undefined && isOwnCost !== true;",
        "return cost !== undefined && isOwnCost === undefined;",
      ),
    ],
  },
  {
    name: "more-pods-than-needed-get-costs",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/sync/scale/plan-costs.ts",
        "sort((a, b) => a.changes.length - b.changes.length)",
        "sort((a, b) => b.changes.length - a.changes.length)",
      ),
    ],
  },
  {
    name: "a-pod-that-does-not-answer-is-idle",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/readings/read-busy.ts",
        "if (isFault(error)) return { unknown: error.message };",
        "if (isFault(error)) return false;",
      ),
    ],
  },
  {
    name: "a-pod-without-a-value-is-idle",
    kind: "busy",
    within: 200,
    changes: [
      change(
        "lib/readings/read-busy.ts",
        '(answers.get(name) ?? { unknown: "it has no value" })',
        "(answers.get(name) ?? false)",
      ),
    ],
  },
  {
    name: "ending-pods-are-spared",
    kind: "busy",
    within: 400,
    changes: [change("lib/readings/read-busy.ts", "return !isEnding && phase", "return phase")],
  },
  {
    name: "a-run-of-a-finished-slot-counts",
    test: "test/sync/history/counters.test.ts",
    changes: [change(finishSlot, "found.slot >= message.slot", "found.slot > message.slot")],
  },
  {
    name: "counts-made-meanwhile-are-overwritten",
    test: "test/sync/history/counters.test.ts",
    changes: [
      change("lib/sync/slot/sync-shard.ts", "withWork(current.counters, work)", "withWork(shard.counters, work)"),
    ],
  },
  {
    name: "the-right-part-counts-again",
    test: "test/sync/history/counters.test.ts",
    changes: [change(reshard, "const right: Shard = { ...uncounted,", "const right: Shard = { ...other,")],
  },
  {
    name: "a-doubled-message-counts",
    test: "test/sync/history/counters.test.ts",
    changes: [
      change("lib/sync/slot/sync-shard.ts", "if (message.slot <= shard.slot) {", "if (message.slot < shard.slot) {"),
    ],
  },
  {
    name: "history-shows-an-unknown-metric-as-zero",
    kind: "random",
    within: 20,
    changes: [
      change(
        "lib/sync/history/sample.ts",
        "if (detail?.target === undefined) return { value: null, averageValue: null };",
        "if (detail?.target === undefined) return { value: 0, averageValue: null };",
      ),
    ],
  },
  {
    name: "history-gives-a-row-to-the-next-hpa",
    kind: "random",
    within: 20,
    changes: [
      change(
        writeHistory,
        "columnsOf(roster.keys.map((key) => samples.get(key) ?? null))",
        "columnsOf([...samples.values()])",
      ),
    ],
  },
  {
    name: "history-draws-over-a-gap",
    kind: "random",
    within: 20,
    changes: [change(writeHistory, "const gap = gapBefore(message, before);", "const gap = undefined;")],
  },
  {
    name: "history-keeps-a-size-that-nobody-read",
    kind: "clusters",
    within: 5,
    changes: [
      change(
        "lib/sync/history/sample.ts",
        'decision?.from === null && !flags.has("paused") ? null : (intent?.from ?? status.currentReplicas ?? null)',
        "status.currentReplicas ?? null",
      ),
    ],
  },
  {
    name: "history-shows-the-size-before-a-write-without-an-answer",
    kind: "idle",
    within: 30,
    changes: [change("lib/sync/history/sample.ts", "(intent?.from ?? status", "(status")],
  },
  {
    name: "history-forgets-that-a-write-failed",
    test: "test/sync/history/series.test.ts",
    changes: [change(writeHistory, "lost: before?.lost ?? seen }", "lost: undefined }")],
  },
];
