import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ArcadeError } from "../../domain/errors.ts";
import { createProblem, formatRawProblem, parseRequestId } from "../../domain/problem.ts";

/** Rejects an upgrade with the problem document of every other route (RFC 9457), and closes the socket. */
export function rejectUpgrade(request: IncomingMessage, socket: Duplex, error: ArcadeError): void {
  const problem = createProblem(error, parseRequestId(request.headers["x-request-id"]) ?? randomUUID());
  socket.end(formatRawProblem(problem, STATUS_CODES[problem.status]!), () => socket.destroy());
}
