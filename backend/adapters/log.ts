import pino from "pino";
import type { Log } from "../ports.ts";

/** Structured lines on stderr, so that stdout stays a command's own. Tokens, keys and signatures are never written. */
export const makeLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          "token",
          "*.token",
          "accessToken",
          "*.accessToken",
          "refreshToken",
          "*.refreshToken",
          "privateKey",
          "*.privateKey",
          "authorization",
          "*.authorization",
          "signature",
          "*.signature",
        ],
        censor: "[hidden]",
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
