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
// As ours: to a stream that the driver ignores.
const log = pino(pino.destination(2));
const seconds = new Histogram({ name: "http_seconds", help: "seconds", labelNames: ["route", "status"] });

function record(route: string, status: number, id: string, startedMs: number): void {
  const ms = performance.now() - startedMs;
  seconds.observe({ route, status }, ms / 1000);
  log.info({ requestId: id, route, status, ms }, "request");
}

async function startExpress({ path, text }: FixedAnswer): Promise<string> {
  const app = express();
  app.set("trust proxy", 1);
  app.use((_, response, next) => {
    const startedMs = performance.now();
    const id = randomUUID();
    response.setHeader("X-Request-Id", id);
    response.on("finish", () => record(path, response.statusCode, id, startedMs));
    next();
  });
  app.use(helmet(), cors(), rateLimit({ limit: REQUESTS_MAX, windowMs: WINDOW_MS }), express.json());
  const value: unknown = JSON.parse(text);
  app.get(path.split("?")[0]!, (_, response) => void response.json(value));
  return await listen(app);
}

async function startFastify({ path, text }: FixedAnswer): Promise<string> {
  const app = fastify({ trustProxy: true, genReqId: () => randomUUID(), loggerInstance: log });
  await app.register(fastifyHelmet);
  await app.register(fastifyCors);
  await app.register(fastifyRateLimit, { max: REQUESTS_MAX, timeWindow: WINDOW_MS });
  app.addHook("onSend", async (request, reply) => void reply.header("X-Request-Id", request.id));
  app.addHook("onResponse", async (_, reply) =>
    seconds.observe({ route: path, status: reply.statusCode }, reply.elapsedTime / 1000),
  );
  const value: unknown = JSON.parse(text);
  app.get(path.split("?")[0]!, async () => value);
  return await app.listen({ port: 0, host: "127.0.0.1" });
}

function startNode({ text }: FixedAnswer): Promise<string> {
  const bytes = Buffer.from(text);
  const head = { "Content-Type": "application/json; charset=utf-8", "Content-Length": bytes.length };
  return listen((_, response) => response.writeHead(200, head).end(bytes));
}

const PEERS = { express: startExpress, fastify: startFastify, node: startNode };
export type Peer = keyof typeof PEERS;

serveSide<{ readonly peer: Peer; readonly answer: FixedAnswer }>(({ peer, answer }) => PEERS[peer](answer));
