import pino from "pino";
import type { Log } from "../ports.ts";

/** Fields that hold a secret whatever they look like, at the depths at which errors and requests carry them. */
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
 * What a secret looks like inside a sentence, an address or a nested field: our tokens (`aa_ ar_ ap_ as_ ax_`), bearer
 * headers and 65-byte signatures. Hashes stay: they are public and what an operator searches by.
 */
const SECRETS =
  /\ba[arpsx]_[A-Za-z0-9_-]{16,}|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}|0x[0-9a-fA-F]{130}(?![0-9a-fA-F])/g;

/** One line of the log without its secrets. */
export const hideSecrets = (line: string): string => line.replace(SECRETS, "[hidden]");

/** Structured lines on stderr, so that stdout stays a command's own. Tokens, keys and signatures are never written. */
export const makeLog = (level: string, write?: (line: string) => void): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: "[hidden]",
      },
      hooks: { streamWrite: hideSecrets },
    },
    write === undefined ? pino.destination({ dest: 2, sync: true }) : { write },
  );
