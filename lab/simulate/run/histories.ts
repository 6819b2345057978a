/** The operations of all agents of a run with their answers, as histories of the objects that they use. */
import { ArcadeApiError } from "../../../client/errors.ts";
import { isLinearizable, type Model, type Operation } from "../history/linearizable.ts";
import { KEY, type KeyOutput, ONCE, SESSIONS, type SessionInput, type SessionOutput } from "../history/models.ts";
import type { EventLoop } from "../world/event-loop.ts";
import { mark } from "./coverage.ts";
import type { Refusal } from "./no-answer.ts";

const MODELS = { sessions: SESSIONS, "idempotency keys": KEY, "sign-in nonces": ONCE } as const;
type Kind = keyof typeof MODELS;

/** Error codes of a request whose key is unknown. */
export const FIRST_TIME_CODES: readonly (string | undefined)[] = [
  ...["PAYOUT_NOT_READY", "SESSION_ACTIVE", "SNAPSHOT_REQUIRED", "NFT_MINT_REQUIRED", "IDEMPOTENCY_IN_PROGRESS"],
];
/** The service forgets a key this long after its request. */
export const KEY_KEPT_MS = 24 * 3_600_000;

/** The service's answer. An error other than `ArcadeApiError` is not an answer. */
type Told = { readonly answer: unknown } | { readonly error: unknown };

interface Recorded {
  readonly input: unknown;
  readonly invokedAtMs: number;
  answer: Operation<unknown, unknown>["answer"];
}

/** The fields that every repeat of an answer contains. A repeated start has another play token. */
export function toComparedText(answer: unknown): string {
  const { sessionId, payoutId, status, txHash, amount } = answer as { readonly [field: string]: string | null };
  return JSON.stringify([sessionId, payoutId, status, txHash, amount]);
}

/** The same text for fields in another order. */
const toBodyText = (input: unknown): string => [...JSON.stringify(input)].sort().join("");

/** Null if the answer does not show the object's state, so the outcome counts as unknown. */
function readKey(told: Told): KeyOutput | null {
  if ("answer" in told) return { text: toComparedText(told.answer) };
  const { code } = told.error as Refusal;
  if (code === "IDEMPOTENCY_CONFLICT") return "conflict";
  return FIRST_TIME_CODES.includes(code) ? "first time" : null;
}

function readSession(told: Told): SessionOutput | null {
  if ("error" in told) {
    const { code, fields } = told.error as Refusal;
    return code === "SESSION_ACTIVE" ? { active: fields!.sessionId! } : null;
  }
  const { sessionId, session } = told.answer as {
    /** The session of a start. */
    readonly sessionId?: string;
    readonly session: { readonly phase: string; readonly score: number };
  };
  if (sessionId !== undefined) return { started: sessionId };
  return session.phase === "ended" ? { score: session.score } : "running";
}

function readNonce(told: Told): "added" | "refused" | null {
  if ("answer" in told) return "added";
  return (told.error as Refusal).code === "NONCE_USED" ? "refused" : null;
}

/** The bounds of the wall clocks of all processes. */
interface Times {
  readonly loop: EventLoop;
  readonly leastWallMs: number;
  readonly wallMs: number;
}

export class Histories {
  readonly #times: Times;
  /** By kind and name. */
  readonly #objects = new Map<string, { readonly kind: Kind; readonly history: Recorded[] }>();
  /** When the service may forget each key, by the wall clock. */
  readonly #keptUntilMs = new Map<string, number>();

  constructor(times: Times) {
    this.#times = times;
  }

  /** Call it when a request is sent, and the returned function when it is answered. Until then the outcome is open. */
  begin(agent: string, route: string, input: unknown, idempotencyKey?: string): (told: Told) => void {
    const ends: ((told: Told) => void)[] = [];
    const { sessionId, message } = input as { readonly sessionId?: string; readonly message?: string };
    if (route === "sessions.start") {
      const start: SessionInput = { start: idempotencyKey === undefined ? "once" : "repeatable" };
      ends.push(this.#add("sessions", agent, start, readSession));
    }
    if (route === "sessions.get" || route === "sessions.end")
      ends.push(this.#add("sessions", agent, { read: sessionId! } satisfies SessionInput, readSession));
    if (route === "auth.verify") ends.push(this.#add("sign-in nonces", message!, null, readNonce));
    if (idempotencyKey !== undefined) {
      const name = `${agent} ${idempotencyKey}`;
      const keptUntilMs = this.#keptUntilMs.get(name) ?? this.#times.leastWallMs + KEY_KEPT_MS;
      this.#keptUntilMs.set(name, keptUntilMs);
      const read = (told: Told) => (this.#times.wallMs < keptUntilMs ? readKey(told) : null);
      ends.push(this.#add("idempotency keys", name, toBodyText(input), read));
    }
    return (told) => {
      for (const end of ends) end(told);
    };
  }

  /** Notes a session's end that was reported without a request: it ended at some earlier time. */
  noteEnd(agent: string, sessionId: string, score: number): void {
    const answer = { output: { score }, atMs: this.#times.loop.nowMs };
    this.#list("sessions", agent).push({ input: { read: sessionId }, invokedAtMs: 0, answer });
  }

  /** The first history that is not linearizable, as text; null if all are. */
  findBroken(): string | null {
    for (const [name, { kind, history }] of this.#objects) {
      mark("check", `${kind} are linearizable`);
      const model = MODELS[kind] as Model<unknown, unknown, unknown>;
      if (!isLinearizable(history, model)) return `${name}: ${JSON.stringify(history)}`;
    }
    return null;
  }

  #list(kind: Kind, name: string): Recorded[] {
    const key = `${kind} of ${name}`;
    const object = this.#objects.get(key) ?? { kind, history: [] };
    this.#objects.set(key, object);
    return object.history;
  }

  #add(kind: Kind, name: string, input: unknown, read: (told: Told) => unknown): (told: Told) => void {
    const list = this.#list(kind, name);
    const recorded: Recorded = { input, invokedAtMs: this.#times.loop.nowMs, answer: null };
    list.push(recorded);
    return (told) => {
      const output = read(told);
      if (output !== null) recorded.answer = { output, atMs: this.#times.loop.nowMs };
      else if (kind !== "sign-in nonces" && isWithoutEffect(told)) list.splice(list.indexOf(recorded), 1);
    };
  }
}

/** Whether it was rejected for its content. A request that fails in transit may still have had an effect. */
const isWithoutEffect = (told: Told): boolean =>
  "error" in told && told.error instanceof ArcadeApiError && told.error.status >= 400 && told.error.status < 500;
