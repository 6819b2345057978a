import { HttpResponse } from "../routing/route.ts";

/** 202 while a relayed transaction waits for its block. */
export function toRelayResponse<T extends object>(body: T): T | HttpResponse {
  const { mode, block, status } = body as { mode?: unknown; block?: unknown; status?: unknown };
  const waits = mode === "relayed" && block === null && status !== "failed";
  return waits ? new HttpResponse(202, body as HttpResponse["body"]) : body;
}
