/** The sessions of an agent: it starts one, plays over sockets, and ends it. */
import { createHash } from "node:crypto";
import type { Hex } from "viem";
import type { Answer } from "../../../client/api.ts";
import type { EndMessage, HelloMessage, ServerMessage } from "../../../domain/protocol/messages.ts";
import type { Random } from "../../../testing/random.ts";
import { AgentSocket } from "./agent-socket.ts";
import { mark } from "./coverage.ts";
import { tally } from "./game.ts";
import type { KeyedRequests } from "./keyed-requests.ts";
import type { Login } from "./login.ts";
import type { Refusal } from "./no-answer.ts";
import type { Requests } from "./request.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const { slug } = tally;
const MARK = { t: "action", action: "MARK" };
/** The share of plays with a viewer. */
const VIEWED = 0.2;

/** What a player gets from its agent. */
interface PlayerOptions {
  readonly requests: Requests;
  readonly login: Login;
  readonly keyed: KeyedRequests;
  /** Sessions of the previous run. */
  readonly ended: ReadonlySet<string>;
}

export class Player {
  /** Sessions with a score. */
  readonly ended: Set<string>;
  /** The running session. */
  sessionId: string | null = null;
  readonly #world: World;
  readonly #address: string;
  readonly #random: Random;
  readonly #requests: Requests;
  readonly #login: Login;
  readonly #keyed: KeyedRequests;

  /** `address`: the agent's IP address. */
  constructor(world: World, address: string, random: Random, { requests, login, keyed, ended }: PlayerOptions) {
    this.#world = world;
    this.#address = address;
    this.#random = random;
    this.#requests = requests;
    this.#login = login;
    this.#keyed = keyed;
    this.ended = new Set(ended);
  }

  async start(): Promise<void> {
    const onAnswer = ({ sessionId }: Answer<"sessions.start">): void =>
      this.#world.observations.acknowledge("session", "select 1 from sessions where session_id = ?", [sessionId]);
    try {
      const { sessionId } = await this.#keyed.ask("sessions.start", { slug, source: "agent_api" }, onAnswer);
      this.sessionId = sessionId;
    } catch (error) {
      const { code, fields } = error as Refusal;
      if (code === "SESSION_ACTIVE" && fields?.sessionId !== undefined) this.sessionId = fields.sessionId;
      throw error;
    }
  }

  async play(sessionId: string): Promise<void> {
    const onAnswer = ({ session }: Answer<"sessions.get">): void => {
      if (session.phase === "ended") this.#acknowledgeEnd(sessionId, session.score);
    };
    const { session } = await this.#requests.ask("sessions.get", { slug, sessionId }, { onAnswer });
    if (session.phase === "ended") return this.#onEnded(sessionId, session.score);
    const { token } = await this.#login.ask("sessions.playToken", { slug, sessionId });
    if (this.#random.chance(VIEWED)) await this.#watch(sessionId);
    await this.#steer(sessionId, token);
    if (this.#random.chance(0.5)) await this.#end(sessionId);
  }

  /** Plays until the session ends, or for a while. */
  async #steer(sessionId: string, token: string): Promise<void> {
    const { loop, observations } = this.#world;
    const onJoined = (): void => observations.use("play token", token);
    const open = (): AgentSocket => this.#open("play", sessionId, token, onJoined);
    // Of two sockets with one token, only one may join.
    const sockets = this.#random.chance(0.3) ? [open(), open()] : [open()];
    const untilMs = loop.nowMs + this.#random.between(1_500, 7_000);
    while (loop.nowMs < untilMs && sockets.some(({ isClosed }) => !isClosed)) {
      await loop.sleep(this.#random.between(150, 900));
      for (const socket of sockets) if (socket.isJoined && !socket.isClosed) socket.send(MARK);
    }
    for (const socket of sockets) socket.close();
  }

  /** A viewer never sees a repeated or older frame. Its socket stays open until the session ends. */
  async #watch(sessionId: string): Promise<void> {
    const { token } = await this.#requests.ask("sessions.spectateTokenPublic", { slug, sessionId });
    this.#open("spectate", sessionId, token, () => undefined);
  }

  #open(role: "play" | "spectate", sessionId: string, token: string, onJoined: () => void): AgentSocket {
    let lastTick = -1;
    let mayGoBack = false;
    let lastOwner = this.#findOwner(sessionId);
    // A returning player has different entropy, like a client in another process.
    const entropy: Hex | undefined =
      role === "play" ? `0x${createHash("sha256").update(token).digest("hex")}` : undefined;
    const onMessage = (message: ServerMessage): void => {
      if (message.t === "hello") {
        onJoined();
        if (entropy !== undefined) this.#checkSeed(message, entropy);
      }
      if (message.t === "end") this.#onEndMessage(message);
      if (message.t !== "frame") return;
      const { tick, phase } = message.frame;
      mark("check", "frames never go back");
      const owner = this.#findOwner(sessionId);
      if (owner !== null && owner === lastOwner && tick > lastTick && lastTick >= 0)
        this.#world.backends.leases.checkTick(owner);
      // Another backend of a fleet continues the session from the store, or ends it.
      if (owner !== lastOwner || (owner !== null && phase === "ended")) [lastOwner, mayGoBack] = [owner, true];
      const goesBack = tick < lastTick;
      if (goesBack && mayGoBack) mayGoBack = false;
      else if (goesBack)
        this.#world.fail(new Violation("frames never go back", `${sessionId}: ${tick} after ${lastTick}`));
      lastTick = tick;
    };
    const path = `/ws/${slug}/${role}?sessionId=${sessionId}`;
    const [backend, address] = [this.#requests.pickBackend(), this.#address];
    return new AgentSocket({ backend, address, path, token, onMessage, ...(entropy !== undefined && { entropy }) });
  }

  /** The fleet's node that runs a session; null without a fleet. */
  #findOwner(sessionId: string): string | null {
    if (!this.#world.kind.isFleet) return null;
    const statement = this.#world.disk.database.prepare("select owner from sessions where session_id = ?");
    return (statement.get(sessionId) as { readonly owner: string | null } | undefined)?.owner ?? null;
  }

  #checkSeed({ sessionId, entropy, resumed, tick }: HelloMessage, own: Hex): void {
    mark("check", "the first player's entropy counts");
    if (!resumed && tick === 0 && entropy !== own)
      this.#world.fail(new Violation("the first player's entropy counts", `${sessionId}: ${entropy}, not ${own}`));
  }

  #onEndMessage({ sessionId, score }: EndMessage): void {
    this.#acknowledgeEnd(sessionId, score);
    this.#world.histories.noteEnd(`agent ${this.#address}`, sessionId, score);
    this.#world.note(`end message: ${score}`);
  }

  async #end(sessionId: string): Promise<void> {
    const onAnswer = ({ session }: Answer<"sessions.end">): void => this.#acknowledgeEnd(sessionId, session.score);
    const { session } = await this.#login.ask("sessions.end", { slug, sessionId }, { onAnswer });
    this.#onEnded(sessionId, session.score);
  }

  #acknowledgeEnd(sessionId: string, score: number): void {
    const sql = "select 1 from sessions where session_id = ? and ended_at_ms is not null and score = ?";
    this.#world.observations.acknowledge("final score", sql, [sessionId, score]);
  }

  #onEnded(sessionId: string, score: number): void {
    this.sessionId = null;
    if (score > 0) this.ended.add(sessionId);
  }
}
