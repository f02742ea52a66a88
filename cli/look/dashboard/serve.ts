import { createServer, type ServerResponse } from "node:http";
import { isFault } from "../../../lib/model/fault";
import { newPageKey, type PageRequest, pageGuarded } from "../../../local/guard/page-guard";
import { closeServer } from "../../../local/guard/loopback";
import { openPort } from "../../shell/open-port";
import { MomentError } from "../../understand/explain/explain-hpa";
import { answerHistory, type HistoryContext } from "./answer-history";
import { answerSource, answerSourceHistory } from "./answer-source";
import { type AnswerContext, answerHpa, answerMoment } from "./answers";
import { liveFleet, type LiveFleetContext } from "./live-fleet";

export type PageFiles = Readonly<Record<string, string>>;

export interface DashboardContext extends AnswerContext, LiveFleetContext, HistoryContext {
  readonly store: AnswerContext["store"] & LiveFleetContext["store"];
  readonly now: () => number;
  readonly files: PageFiles;
  /** 0: any free one. */
  readonly port: number;
}

export interface Dashboard {
  readonly url: string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

const mostStreams = 20;
const mostUnreadBytes = 32 * 1024 * 1024;
const answerLimitMs = 30_000;

export async function serveDashboard(context: DashboardContext): Promise<Dashboard> {
  const { files, port } = context;
  const key = newPageKey();
  const fleet = liveFleet(context);
  const streams = new Set<ServerResponse>();
  const ending = new AbortController();

  function stream(response: ServerResponse): void {
    if (streams.size >= mostStreams)
      return send(response, 503, { error: `expected at most ${mostStreams} open pages` });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    streams.add(response);
    const unsubscribe = fleet.subscribe((line) => {
      response.write(`data: ${line}\n\n`);
      if (response.writableLength > mostUnreadBytes) response.destroy();
    });
    response.on("close", () => {
      streams.delete(response);
      unsubscribe();
    });
  }

  async function answer(response: ServerResponse, ask: (signal: AbortSignal) => Promise<object | undefined>) {
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(answerLimitMs)]);
    try {
      const found = await ask(signal);
      if (found === undefined) return send(response, 404, { error: "The table has no such HPA, or no such decision." });
      send(response, 200, found);
    } catch (error) {
      const status = error instanceof MomentError ? 400 : 503;
      if (status === 503 && !isFault(error) && !signal.aborted) throw error;
      send(response, status, { error: (error as Error).message });
    }
  }

  async function route({ path, query }: PageRequest, response: ServerResponse): Promise<void> {
    const [cluster = "", namespace = "", name = "", range = "1h"] = ["cluster", "namespace", "name", "range"].map(
      (field) => query.get(field) ?? undefined,
    );
    const at = query.get("at");
    switch (path) {
      case "api/fleet":
        return stream(response);
      case "api/hpa":
        return await answer(response, (signal) =>
          answerHpa(context, { cluster, namespace, name, ...(at !== null && { at }) }, signal),
        );
      case "api/moment":
        return await answer(response, (signal) =>
          answerMoment(context, { cluster, namespace, name, at: at ?? "" }, signal),
        );
      case "api/history":
        return await answer(response, (signal) => answerHistory(context, { cluster, namespace, name, range }, signal));
      case "api/source":
        return await answer(response, (signal) => answerSource(context, { cluster, name }, signal));
      case "api/source-history": {
        const [metric = "", hpas = ""] = ["metric", "hpas"].map((field) => query.get(field) ?? undefined);
        const asked = { cluster, name, metric, hpas: hpas.split("\n"), range };
        return await answer(response, (signal) => answerSourceHistory(context, asked, signal));
      }
      default: {
        const file = path === "" ? "index.html" : path;
        if (!Object.hasOwn(files, file)) return send(response, 404, { error: "There is no such page." });
        response.writeHead(200, { "content-type": types[file.split(".").at(-1) ?? ""] ?? "text/plain" });
        response.end(files[file]);
      }
    }
  }

  const server = createServer(pageGuarded(key, route));
  const own = await openPort(server, port, "with --port, or leave it out");
  return {
    url: `http://127.0.0.1:${own}/${key}/`,
    async close() {
      ending.abort(new Error("the dashboard was stopped"));
      fleet.close();
      await closeServer(server);
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}
