/** The peers of public reads: Express and Fastify with the features that the service has, and Node with ready bytes. */
import { randomUUID } from "node:crypto";
import fastifyCors from "@fastify/cors";
import fastifyHelmet from "@fastify/helmet";
import fastifyRateLimit from "@fastify/rate-limit";
import cors from "cors";
import express from "express";
import { rateLimit } from "express-rate-limit";
import { fastify } from "fastify";
import helmet from "helmet";
import { pino } from "pino";
import { Histogram } from "prom-client";
import { listen, serveSide } from "../server/process.ts";

/** An answer that a peer gives; the same bytes as ours. */
export interface FixedAnswer {
  readonly path: string;
  readonly text: string;
}

/** Enough for the load of a run; each request is still counted. */
const REQUESTS_MAX = 1e9;
const WINDOW_MS = 60_000;
// As on our side: to a stream that the driver ignores.
const log = pino(pino.destination(2));
const seconds = new Histogram({ name: "http_seconds", help: "seconds", labelNames: ["route", "status"] });

function record(route: string, status: number, id: string, startedMs: number): void {
  const ms = performance.now() - startedMs;
  seconds.observe({ route, status }, ms / 1000);
  log.info({ requestId: id, route, status, ms }, "request");
}

/** The route and its value, which frameworks turn into text for each answer. */
const parseAnswer = ({ path, text }: FixedAnswer) => ({
  path: path.split("?")[0]!,
  value: JSON.parse(text) as unknown,
});

/** The headers that ours leaves out. */
const HELMET = {
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

async function startExpress(answers: readonly FixedAnswer[]): Promise<string> {
  const app = express();
  app.set("trust proxy", 1);
  app.use((request, response, next) => {
    const startedMs = performance.now();
    const id = randomUUID();
    response.setHeader("X-Request-Id", id);
    response.on("finish", () => record(request.route.path, response.statusCode, id, startedMs));
    next();
  });
  app.use(helmet(HELMET), cors(), rateLimit({ limit: REQUESTS_MAX, windowMs: WINDOW_MS }), express.json());
  for (const { path, value } of answers.map(parseAnswer)) app.get(path, (_, response) => void response.json(value));
  return await listen(app);
}

async function startFastify(answers: readonly FixedAnswer[]): Promise<string> {
  const app = fastify({ trustProxy: true, genReqId: () => randomUUID(), loggerInstance: log });
  await app.register(fastifyHelmet, HELMET);
  await app.register(fastifyCors);
  await app.register(fastifyRateLimit, { max: REQUESTS_MAX, timeWindow: WINDOW_MS });
  app.addHook("onSend", async (request, reply) => void reply.header("X-Request-Id", request.id));
  app.addHook("onResponse", async (request, reply) =>
    seconds.observe({ route: request.routeOptions.url!, status: reply.statusCode }, reply.elapsedTime / 1000),
  );
  for (const { path, value } of answers.map(parseAnswer)) app.get(path, async () => value);
  return await app.listen({ port: 0, host: "127.0.0.1" });
}

function startNode(answers: readonly FixedAnswer[]): Promise<string> {
  const ready = new Map(
    answers.map(({ path, text }) => {
      const bytes = Buffer.from(text);
      return [
        path,
        { bytes, head: { "Content-Type": "application/json; charset=utf-8", "Content-Length": bytes.length } },
      ];
    }),
  );
  return listen(({ url }, response) => {
    const { bytes, head } = ready.get(url!)!;
    response.writeHead(200, head).end(bytes);
  });
}

const PEERS = { express: startExpress, fastify: startFastify, node: startNode };
export type Peer = keyof typeof PEERS;

serveSide<{ readonly peer: Peer; readonly answers: readonly FixedAnswer[] }>(({ peer, answers }) =>
  PEERS[peer](answers),
);
