/** Ends a command when the one that started it, or the one that reads it, has ended. */
import { readFileSync, writeSync } from "node:fs";
import { isStoppedBySignal } from "../../backend/app/stop-on-signals.ts";
import { getEnvironment } from "../../backend/config/environment.ts";

const CHECK_MS = 1000;

let isEnding = false;

/** A server closes as after a signal, once, since a second signal would cut that short; other commands end at once. */
function end(): void {
  if (isEnding || isStoppedBySignal()) return;
  isEnding = true;
  if (process.listenerCount("SIGTERM") > 0) process.kill(process.pid, "SIGTERM");
  else process.exit();
}

/** The parent of a process; null without /proc (only Linux has it). */
function findParent(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")")).split(" ")[2] ?? null;
  } catch {
    return null;
  }
}

/**
 * npm runs a script through a shell, which passes no signal on: a supervisor that ends npm, or kills it, would leave the
 * command behind. Only below npm: a command that a shell started may outlive it.
 */
export function endWithNpm(): void {
  if (getEnvironment().npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const npm = findParent(shell);
  setInterval(() => {
    if (process.ppid !== shell || findParent(shell) !== npm) end();
  }, CHECK_MS).unref();
}

/** A closed pipe (`… | head`) is the reader's choice, not a fault; a full disk is one, in a sentence. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return end();
      writeSync(process.stderr.fd, `The output cannot be written: ${error.message}\n`);
      process.exit(1);
    });
}

/** A text as one word of a POSIX shell. */
export const quoteWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
