/** The guarantees of the service's registers and sets, as sequential objects. */
import type { Model } from "./linearizable.ts";

/** A set with one possible member, such as the use of a nonce: it is added once. */
export const ONCE: Model<boolean, null, "added" | "refused"> = {
  initial: false,
  step: (isMember, _, output) => {
    if (output === "refused") return isMember ? true : undefined;
    return isMember ? undefined : true;
  },
};

interface Written {
  readonly body: string;
  /** Null if the answer was lost. */
  readonly text: string | null;
}

export type KeyOutput = { readonly text: string } | "conflict" | "first time";

/** An idempotency key is a write-once register: the first answer stays, and belongs to one body. */
export const KEY: Model<Written | null, string, KeyOutput> = {
  initial: null,
  step: (written, body, output) => {
    if (output === "first time") return written === null ? null : undefined;
    if (output === "conflict") return written !== null && written.body !== body ? written : undefined;
    if (written === null) return { body, text: output?.text ?? null };
    if (output === null || written.body !== body) return undefined;
    return written.text === null || written.text === output.text ? { body, text: output.text } : undefined;
  },
};

/** A start whose answer was lost. */
const UNNAMED = "?";

interface SessionsOfWallet {
  readonly running: string | null;
  /** Final scores by session; null: not seen. */
  readonly ended: { readonly [sessionId: string]: number | null };
}

export type SessionInput = { readonly start: "once" | "repeatable" } | { readonly read: string };
export type SessionOutput =
  | { readonly started: string }
  | { readonly active: string }
  | { readonly score: number }
  | "running";

function start({ running, ended }: SessionsOfWallet, sessionId: string): SessionsOfWallet {
  // A session may end by itself at any time before the next start.
  const isNamed = running !== null && running !== UNNAMED;
  return { running: sessionId, ended: isNamed ? { ...ended, [running]: null } : ended };
}

function end(state: SessionsOfWallet, sessionId: string, score: number): SessionsOfWallet | undefined {
  const { running, ended } = state;
  if (sessionId in ended ? ended[sessionId] !== null && ended[sessionId] !== score : running !== sessionId)
    return undefined;
  return { running: running === sessionId ? null : running, ended: { ...ended, [sessionId]: score } };
}

/** A wallet's running session is a register: one at a time, an ended one never returns, and a final score stays. */
export const SESSIONS: Model<SessionsOfWallet, SessionInput, SessionOutput> = {
  initial: { running: null, ended: {} },
  step: (state, input, output) => {
    const { running, ended } = state;
    if (output === null) return "start" in input ? start(state, UNNAMED) : undefined;
    if (output === "running") return "read" in input && running === input.read ? state : undefined;
    if ("score" in output) return "read" in input ? end(state, input.read, output.score) : undefined;
    const [sessionId, isKnown] =
      "active" in output
        ? [output.active, running === output.active]
        : [output.started, running === output.started || output.started in ended];
    if (isKnown) return "active" in output || ("start" in input && input.start === "repeatable") ? state : undefined;
    if ("active" in output && (running !== UNNAMED || sessionId in ended)) return undefined;
    return start(state, sessionId);
  },
};
