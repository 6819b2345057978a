import pino from "pino";
import type { Log } from "../ports/system.ts";

/** Fields that hold a secret, at the depths at which errors and requests have them. */
const SECRET_FIELDS = [
  "token",
  "playToken",
  "practiceToken",
  "accessToken",
  "refreshToken",
  "privateKey",
  "authorization",
  "Authorization",
  "signature",
  "raw",
];

/**
 * The form of secrets inside a message, a URL or a nested field: tokens (`aa_ ar_ ap_ as_ ax_`), bearer headers and
 * 65-byte signatures. Hashes are public and stay: operators search by them.
 */
const SECRET_PATTERN =
  /\ba[arpsx]_[A-Za-z0-9_-]{16,}|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}|0x[0-9a-fA-F]{130}(?![0-9a-fA-F])/g;

/** One line of the log without its secrets. */
const redactSecrets = (line: string): string => line.replace(SECRET_PATTERN, "[hidden]");

/** Writes structured lines to stderr, so that stdout is free for a command's output. Secrets are replaced. */
export const createLog = (level: string, write?: (line: string) => void): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: "[hidden]",
      },
      hooks: { streamWrite: redactSecrets },
    },
    write === undefined ? pino.destination({ dest: 2, sync: true }) : { write },
  );
