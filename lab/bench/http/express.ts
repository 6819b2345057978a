/** Bare Express: nothing but `json()`, and handlers with their answers ready. */
import express from "express";
import { listen, serveSide } from "../server/process.ts";

/** An answer that a peer gives; the same bytes as ours. */
export interface FixedAnswer {
  readonly method: "GET" | "POST";
  /** With its query, if it has one. */
  readonly path: string;
  readonly isAuthenticated: boolean;
  readonly text: string;
}

const SESSION_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

serveSide<{ readonly answers: readonly FixedAnswer[] }>(async ({ answers }) => {
  const app = express();
  app.disable("etag");
  app.disable("x-powered-by");
  if (answers.some(({ isAuthenticated }) => isAuthenticated)) app.use(express.json());
  for (const { method, path, isAuthenticated, text } of answers) {
    // Each wallet has its own session.
    const pathname = path.split("?")[0]!.replace(SESSION_ID, ":sessionId");
    const bytes = Buffer.from(text);
    const value: unknown = JSON.parse(text);
    if (!isAuthenticated) {
      app.get(pathname, (_, response) => {
        response.setHeader("Content-Type", "application/json; charset=utf-8");
        response.setHeader("Content-Length", bytes.length);
        response.end(bytes);
      });
    } else if (method === "GET") app.get(pathname, (_, response) => void response.json(value));
    else app.post(pathname, (_, response) => void response.json(value));
  }
  return await listen(app);
});
