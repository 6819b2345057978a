import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { parseRequestId } from "../../domain/problem.ts";

/** The client's own id of a request if it has the allowed form; a new one otherwise. */
export const getRequestId = (request: IncomingMessage): string =>
  parseRequestId(request.headers["x-request-id"]) ?? randomUUID();
