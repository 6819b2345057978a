/** The sessions of an agent: it starts one, plays over the stand-in of a socket, and ends it. */
import type { Address } from "viem";
import { createLimiter } from "../../../backend/adapters/limiter.ts";
import { authenticate } from "../../../backend/ws/authenticate.ts";
import { runAs } from "../world/event-loop.ts";
import type { Random } from "../world/random.ts";
import type { SimulatedBackend } from "./backend.ts";
import { tally } from "./game.ts";
import type { Login } from "./login.ts";
import { request } from "./request.ts";
import type { World } from "./world.ts";

const { slug } = tally;

interface ErrorLike {
  readonly code?: string;
  readonly details?: { readonly sessionId?: string };
}

export class Player {
  /** Sessions with a score. */
  readonly ended = new Set<string>();
  /** The session that goes on. */
  sessionId: string | null = null;
  readonly #world: World;
  readonly #wallet: Address;
  readonly #random: Random;
  readonly #login: Login;

  constructor(world: World, wallet: Address, random: Random, login: Login) {
    this.#world = world;
    this.#wallet = wallet;
    this.#random = random;
    this.#login = login;
  }

  async start(): Promise<void> {
    const wallet = this.#wallet;
    const options = {
      slug,
      source: "agent_api" as const,
      forfeitPending: false,
      lockstep: false,
      wallet,
      ip: "203.0.113.7",
    };
    try {
      const { sessionId } = await this.#login.ask(
        "start",
        (backend, familyId) => backend.services.sessions.start({ ...options, familyId }),
        (answer) => this.#acknowledgeSession(answer.sessionId),
      );
      this.sessionId = sessionId;
    } catch (error) {
      const { code, details } = error as ErrorLike;
      if (code === "SESSION_ACTIVE" && details?.sessionId !== undefined) this.sessionId = details.sessionId;
      throw error;
    }
  }

  #acknowledgeSession(sessionId: string): void {
    this.#world.observations.acknowledge("session", "select 1 from sessions where session_id = ?", [sessionId]);
  }

  async play(sessionId: string): Promise<void> {
    const { session } = await this.#login.ask(
      "session",
      (backend) => backend.services.sessions.get(slug, sessionId),
      (answer) => {
        if (answer.session.phase === "ended") this.#acknowledgeEnd(sessionId, answer.session.score);
      },
    );
    if (session.phase === "ended") return this.#onEnded(sessionId, session.score);
    const { token } = await this.#login.ask("play token", async (backend, familyId) => {
      const { sessions, channelTokens } = backend.services;
      const row = await sessions.findOwn(slug, sessionId, { kind: "wallet", wallet: this.#wallet, familyId } as never);
      return await channelTokens.issuePlay(row, familyId);
    });
    await request(this.#world, "play", (backend) => this.#steer(backend, sessionId, token));
    if (this.#random.chance(0.5)) await this.#end(sessionId);
  }

  /** Plays over the stand-in of a socket until the session ends, or for a while. */
  async #steer(backend: SimulatedBackend, sessionId: string, token: string): Promise<void> {
    const { live, store, clock } = backend.parts;
    const text = JSON.stringify({ t: "auth", token });
    const isRunning = () => live.registry.getView(sessionId)?.phase !== "ended";
    const limiter = createLimiter(clock, false);
    const channel = { role: "play" as const, sessionId, ip: "203.0.113.7" };
    const options = { tokens: store.channelTokens, limiter, nowMs: () => clock.nowMs(), isRunning };
    const join = () => runAs(backend.process, () => authenticate(text, channel, options));
    // Two sockets with one token: only one of them gets in.
    const results = await Promise.all(this.#random.chance(0.3) ? [join(), join()] : [join()]);
    for (const { ok } of results) if (ok) this.#world.observations.use("play token", token);
    if (!results.some(({ ok }) => ok)) return;
    const session = live.registry.get(sessionId);
    if (session === undefined) return;
    const { epoch } = runAs(backend.process, () => session.connectPlayer(this.#world.loop.nowMs));
    const untilMs = this.#world.loop.nowMs + this.#random.between(1_500, 7_000);
    while (session.phase !== "ended" && this.#world.loop.nowMs < untilMs && backend.process.isAlive) {
      await this.#world.loop.sleep(this.#random.between(150, 900));
      runAs(backend.process, () => session.acceptInput(epoch, { t: "action", action: "MARK" }, undefined));
    }
    runAs(backend.process, () => session.disconnectPlayer(epoch, this.#world.loop.nowMs));
  }

  async #end(sessionId: string): Promise<void> {
    const { session } = await this.#login.ask(
      "end",
      (backend, familyId) =>
        backend.services.sessions.end(slug, sessionId, { kind: "wallet", wallet: this.#wallet, familyId } as never),
      (answer) => this.#acknowledgeEnd(sessionId, answer.session.score),
    );
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
