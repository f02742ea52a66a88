/**
 * Bugs that the simulator must find, each within a number of stories of a kind, counted from the first one. A change is
 * a text that must be in its file exactly once, and what takes its place. found.json says which story found each.
 */
const act = "lib/sync/act/act.ts";
const intents = "lib/sync/act/intents.ts";
const rescale = "lib/sync/act/rescale.ts";
const syncHpa = "lib/sync/turn/sync-hpa.ts";
const slotTasks = "lib/sync/turn/slot-tasks.ts";
const announceChange = "lib/sync/turn/announce-change.ts";
const confirmed = "lib/model/stored/confirmed.ts";
const seenInSlot = "lib/sync/turn/seen-in-slot.ts";
const finishSlot = "lib/sync/turn/finish-slot.ts";
const woken = "lib/sync/turn/sync-woken.ts";
const reshard = "lib/sync/plan/reshard.ts";
const version = "lib/model/stored/version.ts";
const reads = "lib/table/reads.ts";
const writes = "lib/table/conditional-write.ts";
const work = "lib/core/rules/work.ts";
const lease = "lib/sync/watch/lease.ts";
const wakesFile = "lib/sync/watch/wakes.ts";

const change = (file, find, replace) => ({ file, find, replace });

export const bugs = [
  {
    name: "earlier-intents-are-dropped",
    kind: "storm",
    within: 10,
    changes: [
      change(intents, "return { intent, ...(earlier.length === 0 ? {} : { earlier }) };", "return { intent };"),
    ],
  },
  {
    name: "a-withdrawal-drops-all-intents",
    kind: "storm",
    within: 200,
    changes: [
      change(intents, "...(latest === undefined ? {} : { intent: latest }),", ""),
      change(intents, "...(rest.length === 0 ? {} : { earlier: rest }),", ""),
    ],
  },
  {
    name: "nothing-is-contested",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        slotTasks,
        "contested: contested || behind !== undefined || closed !== undefined || isWoken(state, shard),",
        "contested: false,",
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
    kind: "aimed",
    within: 60,
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
        "lib/sync/act/remember.ts",
        "if (uid === undefined || uid === state.targetUid) return state;",
        "if (uid) return state;",
      ),
      change(
        act,
        "return seen.metadata.uid === scale.metadata.uid && currentReplicas(seen) === announced",
        "return currentReplicas(seen) === announced",
      ),
    ],
  },
  {
    name: "a-new-target-forgets-whose-zero-it-is",
    kind: "moment",
    within: 50,
    changes: [
      change(
        "lib/sync/act/remember.ts",
        "return { ...kept, targetUid: uid };",
        "return { ...kept, status: {}, targetUid: uid };",
      ),
    ],
  },
  {
    name: "loads-are-eventually-consistent",
    kind: "moment",
    within: 50,
    changes: [
      change(
        reads,
        "{ ...rangeQuery(range), ...projection }",
        "{ ...rangeQuery(range), ...projection, ConsistentRead: false }",
      ),
    ],
  },
  {
    name: "items-are-read-eventually-consistent",
    kind: "aimed",
    within: 60,
    changes: [
      change(reads, "Key: toItem(key), ConsistentRead: true", "Key: toItem(key)"),
      change(reads, "Keys: left, ConsistentRead: true", "Keys: left"),
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
    changes: [change(woken, "const current = await store.shard(turn, context.signal);", "const current = shard;")],
  },
  {
    name: "a-wake-does-not-claim",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        "lib/sync/turn/claim.ts",
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
      change(woken, "return mayBeSeen ? Math.max(known, now) : known;", "return known + 0 * now * Number(mayBeSeen);"),
    ],
  },
  {
    name: "a-slot-ignores-a-later-wake",
    kind: "aimed",
    within: 60,
    changes: [
      change(syncHpa, "stored?.wake !== undefined && stored.wake.at > turn.message.slot", "stored?.version === -1"),
    ],
  },
  {
    name: "a-slot-has-two-effects",
    kind: "storm",
    within: 400,
    changes: [
      change(
        syncHpa,
        "stored !== undefined && stored.slot >= turn.message.slot",
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
        "lib/sync/turn/forget-hpa.ts",
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
      change("lib/core/settle.ts", "if (scale.metadata.resourceVersion === intent.resourceVersion) return state;", ""),
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
    changes: [change("lib/core/settle.ts", "foundAt: Math.max(now, intent.at)", "foundAt: intent.at")],
  },
  {
    name: "a-late-run-trusts-its-clock",
    kind: "aimed",
    within: 60,
    changes: [
      change(
        rescale,
        "if (turn.time.isOver()) return hpaResult(task, { recorded: false, warnings: [], events: [] });",
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
        "lib/sync/turn/run-turn.ts",
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
        'if (!(await reporting(announcing, action.onAnnounced))) return { kind: "superseded" };',
        "await reporting(announcing, action.onAnnounced);",
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
        "recall(stored ?? freshState(entry.hpa.status ?? {}, turn.now), task)",
        "recall(stored ?? freshState(entry.hpa.status ?? {}, turn.now), { lastSeen: 0 })",
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
        "  await recordDecision(turn, key, { ...wanted.kept.explained, scaleTo: wanted.to, events: [] });\n  const acted = await act(",
      ),
    ],
  },
  {
    name: "an-unread-metric-is-zero",
    kind: "storm",
    within: 60,
    changes: [
      change(
        "lib/sync/observe/observe.ts",
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
        "lib/sync/observe/read-sources.ts",
        "Math.abs(slot - before.readAt) < keptFor(before.response, keepMs)",
        "keptFor(before.response, keepMs) > 0 * slot",
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
        "lib/model/stored/sightings.ts",
        "return isOfItsSlot && known !== closedAt ? Math.min(known, end) : undefined;",
        "return undefined;",
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
        "stored.wake.at > turn.message.slot) {",
        "stored.wake.at > turn.message.slot && stored.slot < turn.message.slot) {",
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
        "lib/sync/act/conclude.ts",
        "const { ok } = await turn.records.putState(task.key, withMetricsOf(shown, task.state, next));",
        "turn.records.putState(task.key, withMetricsOf(shown, task.state, next)).catch(() => undefined);\n    const ok = true;",
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
    changes: [change(confirmed, "return sumOfStates(states, shard) !== confirmed.states;", "return false;")],
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
        "lib/table/items/format.ts",
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
    name: "what-moves-is-not-shown",
    kind: "values",
    within: 100,
    changes: [
      change("lib/sync/turn/show-latest.ts", "moved.length === 0 && writtenAt === undefined", "moved.length >= 0"),
    ],
  },
  {
    name: "a-slot-counts-hpas-that-rest",
    kind: "periods",
    within: 10,
    changes: [change(seenInSlot, "isClassDue(name, due) ? now : classSeenAt(shard, name)", "now + 0 * due.until")],
  },
  {
    name: "the-heartbeat-counts-for-own-periods",
    kind: "periods",
    within: 60,
    changes: [
      change(
        "lib/model/stored/sightings.ts",
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
    name: "a-watcher-reads-on",
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
        "lib/sync/turn/show-idle.ts",
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
        "lib/sync/turn/sync-shard.ts",
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
    changes: [change(wakesFile, "if (last !== undefined && last.until > at) continue;", "void last?.until;")],
  },
  {
    name: "no-work-wakes",
    kind: "watched",
    within: 60,
    changes: [
      change(
        "lib/core/has-work.ts",
        'return weighed.recommendations.some((found) => found.kind === "proposal" && found.replicas > 0);',
        "return weighed.recommendations.length > 0;",
      ),
    ],
  },
  {
    name: "a-spending-counts-twice",
    kind: "watched",
    within: 60,
    changes: [change("lib/sync/watch/spending.ts", "spent -= part.spent;", "void part.spent;")],
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
    changes: [
      change(
        "lib/sync/watch/pace.ts",
        "Math.max(leastIntervalMs, (price / forReads) * 1000);",
        "Math.max(leastIntervalMs, 0 * price);",
      ),
    ],
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
        "lib/sync/turn/run-turn.ts",
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
      change(
        wakesFile,
        "waits.set(text, { until: Infinity, waitMs });",
        "waits.set(text, { until: at + waitMs, waitMs });",
      ),
      change(wakesFile, "if (asleep.length === 0) return begun(ids);", "if (asleep.length === 0) return;"),
      change(
        wakesFile,
        "    woken += asleep.length;\n    begun(ids);",
        "    woken += asleep.length;\n    if (ids.length === 0) begun(ids);",
      ),
    ],
  },
  {
    name: "the-heartbeat-of-an-older-version-is-not-noticed",
    kind: "mixed",
    within: 300,
    changes: [
      change(
        "lib/model/stored/sightings.ts",
        "if (periodClass === undefined || ownPeriods?.heartbeat !== heartbeat) return heartbeat;",
        "if (periodClass === undefined || ownPeriods === undefined) return heartbeat;",
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
        "lib/sync/turn/run-turn.ts",
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
        "lib/sync/observe/neighbours.ts",
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
    changes: [change("lib/sync/turn/bound-tasks.ts", "if (share === Infinity) return", "if (share > 0) return")],
  },
  {
    name: "metrics-beyond-a-share-are-looked-up",
    kind: "size",
    within: 11,
    changes: [
      change("lib/sync/turn/bound-tasks.ts", "if (share === Infinity) return", "if (share > 0) return"),
      change("lib/sync/observe/list-queries.ts", "if (of(listing) > share) listing.isClosed = true;", "of(listing);"),
    ],
  },
  {
    name: "watched-hpas-repeat-any-sources",
    kind: "size",
    within: 12,
    changes: [change("lib/sync/watch/idle-hpas.ts", "bytes: 4 * 1024 * 1024 }", "bytes: Infinity }")],
  },
];
