/** Which codes a route can answer: its own, and those of the doors it stands behind. */
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import type { Route } from "./route.ts";

const ALWAYS: readonly ErrorCode[] = ["BAD_REQUEST", "INTERNAL", "STORAGE_BUSY", "STORAGE_FULL", "SHUTTING_DOWN"];
const BODY: readonly ErrorCode[] = [
  "BAD_JSON",
  "VALIDATION_FAILED",
  "UNKNOWN_FIELD",
  "BODY_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

/** Every code a route can answer, in the order of the error table. */
export function codesOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...ALWAYS, ...route.errors]);
  const add = (...more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (route.limits.length > 0) add("RATE_LIMITED");
  if (route.method === "POST") add(...BODY);
  if (route.query !== undefined) add("VALIDATION_FAILED", "UNKNOWN_FIELD");
  if (route.access !== "public") add("TOKEN_INVALID", "TOKEN_EXPIRED");
  if (route.access === "wallet" || route.access === "player") add("AUTH_REQUIRED");
  if (route.access !== "public" && route.method === "POST") add("FORBIDDEN");
  if (route.identity !== undefined) add("IDENTITY_REQUIRED", "CHAIN_UNAVAILABLE");
  if (route.creates) add("IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_IN_PROGRESS");
  if (route.path.includes("{slug}")) add("GAME_NOT_FOUND");
  if (route.path.includes("{sessionId}")) add("SESSION_NOT_FOUND");
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}
