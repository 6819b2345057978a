/** Ends a command when the process that started it, or reads its output, has ended. */
import { readFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { isStoppedBySignal } from "../../backend/app/stop-on-signals.ts";
import { getEnvironment } from "../../backend/config/environment.ts";

const CHECK_MS = 1000;

/** The listeners that `endWithSignals` adds to a signal. */
const DEFAULT_LISTENERS = process.pid === 1 ? 1 : 0;

let isEnding = false;

/**
 * Ends a server as a signal does, once, because a second signal would interrupt the shutdown; ends other commands at
 * once.
 */
function end(): void {
  if (isEnding || isStoppedBySignal()) return;
  isEnding = true;
  if (process.listenerCount("SIGTERM") > DEFAULT_LISTENERS) process.kill(process.pid, "SIGTERM");
  else process.exit();
}

/**
 * The parent of the shell (`sh -c …`) that runs this command. Null without /proc, which only Linux has, and if the
 * process is npm itself: bash, the `sh` of Fedora and Arch, replaces itself by the command. Nothing above npm counts.
 */
export function findParentOfShell(pid: number): string | null {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[1] !== "-c") return null;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")")).split(" ")[2] ?? null;
  } catch {
    return null;
  }
}

/**
 * npm runs a script through a shell, which forwards no signals: if a supervisor ends or kills npm, the command would
 * continue. This applies only below npm: a command started by a shell may outlive it.
 */
export function endWithNpm(): void {
  if (getEnvironment().npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const npm = findParentOfShell(shell);
  setInterval(() => {
    // Null now is only a process without free file descriptors.
    if (process.ppid !== shell || (findParentOfShell(shell) ?? npm) !== npm) end();
  }, CHECK_MS).unref();
}

/**
 * Gives the first process of a container the default action of signals, which the kernel leaves out there: it would
 * ignore them until a server has started, and a standby waits for that as long as another backend works.
 */
export function endWithSignals(): void {
  if (DEFAULT_LISTENERS === 0) return;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === DEFAULT_LISTENERS) process.exit(128 + constants.signals[signal]);
    });
}

/** A closed pipe (`… | head`) or terminal is the reader's choice, not a failure; a full disk is a failure. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || error.code === "EIO") return end();
      writeSync(process.stderr.fd, `The output cannot be written: ${error.message}\n`);
      process.exit(1);
    });
}

/** Quotes a text as one word for a POSIX shell. */
export const quoteWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
