import pino from "pino";
import type { Log } from "../../ports/system.ts";

/** Fields that hold a secret, at any depth. */
const SECRET_FIELDS = new Set([
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
]);
const HIDDEN = "[hidden]";
/** Finds lines that may contain such a field; few do, and most others are request lines. */
const SECRET_FIELD_PATTERN = new RegExp(`"(?:${[...SECRET_FIELDS].join("|")})":`);

/**
 * The form of secrets inside a message, a URL or a nested field: tokens (`aa_ ar_ ap_ as_ ax_`), bearer headers and
 * 65-byte signatures. Hashes are public and stay: operators search by them.
 */
const SECRET_PATTERN =
  /\ba[arpsx]_[A-Za-z0-9_-]{16,}|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}|0x[0-9a-fA-F]{130}(?![0-9a-fA-F])/g;

const hideFields = (line: string): string =>
  `${JSON.stringify(JSON.parse(line, (name, value: unknown) => (SECRET_FIELDS.has(name) ? HIDDEN : value)))}\n`;

/** A log line without its secrets. */
const redactSecrets = (line: string): string =>
  (SECRET_FIELD_PATTERN.test(line) ? hideFields(line) : line).replace(SECRET_PATTERN, HIDDEN);

/** A longer buffer is written before the end of the turn. */
const BUFFER_CHARACTERS = 64 * 1024;
/** What to keep while the lines cannot be written; later ones are lost. */
const UNWRITTEN_BYTES = 1024 * 1024;

interface LineWriter {
  write(line: string): void;
}
let stderr: LineWriter | null = null;

/**
 * Writes to stderr once per turn of the event loop, because each write is a system call. Does not wait for the disk of
 * a file behind it (as `flushSync` would): the writing thread also runs the ticks. All logs share it.
 */
function createStderrWriter(): LineWriter {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_BYTES });
  // A full disk ends no game. The next line is an attempt to write the lines before it too.
  destination.on("error", () => {});
  let lines = "";
  const flush = (): void => {
    const text = lines;
    lines = "";
    if (text !== "") destination.write(text);
  };
  process.once("exit", flush);
  return {
    write: (line) => {
      if (lines === "") setImmediate(flush);
      lines += line;
      if (lines.length >= BUFFER_CHARACTERS) flush();
    },
  };
}

function getStderr(): LineWriter {
  stderr ??= createStderrWriter();
  return stderr;
}

/** Writes structured lines to stderr, so that stdout is free for a command's output. Secrets are replaced. */
export const createLog = (level: string, write?: (line: string) => void): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactSecrets },
    },
    write === undefined ? getStderr() : { write },
  );
