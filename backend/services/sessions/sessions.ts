import { randomBytes } from "node:crypto";
import type { Address, Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { GATES_SKIPPED_AFTER_MS } from "../../../domain/gates.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import type { StepRequest } from "../../../domain/protocol/step.ts";
import { DEMO_AGENT_NAME, SESSION_TIMES, type SessionSource } from "../../../domain/session.ts";
import { toIso } from "../../../domain/time.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { LiveSessions, SessionStart, SessionStarts } from "../../ports/live.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock } from "../../ports/system.ts";
import type { Page, PageQuery } from "../../ports/types.ts";
import type { ChannelTokens, Player } from "../auth/channel-tokens.ts";
import { createToken, hashToken } from "../auth/tokens.ts";
import { readOrElse } from "../chain-reads.ts";
import type { Identity } from "../identity/identity.ts";
import type { Catalog } from "./catalog.ts";
import type { Gates } from "./gates.ts";
import { toRunView, toSessionView } from "./view.ts";

interface SessionPorts {
  readonly store: SessionStore;
  readonly live: LiveSessions;
  readonly starts: SessionStarts;
  readonly index: Pick<ChainIndex, "getFinality">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly catalog: Catalog;
  readonly identity: Pick<Identity, "findAgentId" | "requireIdentity" | "getName">;
  readonly gates: Pick<Gates, "pass">;
  readonly channelTokens: Pick<ChannelTokens, "issuePlay">;
  readonly spectatorsMax: number;
  /** True on a local test stack: every ranked session is marked `test`. */
  readonly isTest: boolean;
  /** For how long chain or signer have been unavailable, 0 while they answer. */
  readonly outageMs: () => number;
}

export interface StartRequest {
  readonly slug: string;
  readonly source: SessionSource;
  readonly forfeitPending: boolean;
  /** Practice that waits for its player. */
  readonly lockstep: boolean;
  readonly wallet: Address | null;
  /** The sign-in of `wallet`. */
  readonly familyId: string | null;
  /** Key of the caller's address. */
  readonly ip: string;
}

/** The most practice tokens that are kept for repeated starts. */
const UNCLAIMED_TOKENS_MAX = 1000;

const createNotFoundError = (slug: string, sessionId: string): ArcadeError =>
  new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId} of ${slug}.`);

/** Throws `SESSION_NOT_FOUND`. */
function checkGame(row: SessionRow, slug: string): void {
  if (row.slug !== slug) throw createNotFoundError(slug, row.sessionId);
}

/** Starts, keeps alive, ends and reads game sessions. */
export class Sessions {
  readonly #ports: SessionPorts;
  /** Unused tokens of anonymous practice sessions, by session: a start whose response was lost may be repeated. */
  readonly #unclaimedTokens = new Map<string, string>();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  /** Throws `SESSION_NOT_FOUND`. */
  async find(slug: string, sessionId: string): Promise<SessionRow> {
    const row = await this.#ports.store.find(sessionId);
    if (row === null) throw createNotFoundError(slug, sessionId);
    checkGame(row, slug);
    return row;
  }

  /** The player's own session. Throws `SESSION_NOT_FOUND` for those of other players. */
  async findOwn(slug: string, sessionId: string, player: Player): Promise<SessionRow> {
    const row = await this.find(slug, sessionId);
    this.#checkPlayer(row, player);
    return row;
  }

  /** The same for calls of a running game; does not read the store if the session runs in this process. */
  async #findPlayed(slug: string, sessionId: string, player: Player): Promise<SessionRow> {
    const row = this.#ports.live.findRow(sessionId);
    if (row === null) return await this.findOwn(slug, sessionId, player);
    checkGame(row, slug);
    this.#checkPlayer(row, player);
    return row;
  }

  #checkPlayer({ sessionId, slug, wallet, practiceTokenHash }: SessionRow, player: Player): void {
    // safeguard: check-player
    const isOwner = player.kind === "wallet" ? wallet === player.wallet : practiceTokenHash === player.tokenHash;
    if (!isOwner)
      throw new ArcadeError(
        "SESSION_NOT_FOUND",
        `There is no session ${sessionId} of ${slug} that this token may play.`,
      );
    this.#unclaimedTokens.delete(sessionId);
  }

  /** Starts a ranked session, or practice. Throws `AUTH_REQUIRED`, `SERVER_FULL`, and the gates of ranked play. */
  async start(request: StartRequest) {
    const { source, wallet } = request;
    if (source === "browser_ws") return this.#startPractice(request);
    if (wallet !== null) return this.#startAgent({ ...request, wallet });
    throw new ArcadeError(
      "AUTH_REQUIRED",
      "Expected an access token for source agent_api; sign in first, or practice with source browser_ws.",
    );
  }

  /** The response to a repeated start: the same session with a new play token. */
  async rejoin(slug: string, sessionId: string, player: Player | null) {
    if (player === null) return this.#repeatPracticeStart(await this.find(slug, sessionId));
    const familyId = player.kind === "wallet" ? player.familyId : null;
    return this.#toStartResponse(await this.findOwn(slug, sessionId, player), { practiceToken: null, familyId });
  }

  /**
   * Anonymous callers of one address differ only by their tokens. While no token of the session was used, a repeated
   * start may come from the caller whose response was lost; later it comes from another caller, who must not get the
   * session.
   */
  async #repeatPracticeStart(row: SessionRow) {
    const { sessionId } = row;
    const practiceToken = this.#unclaimedTokens.get(sessionId);
    await this.#ports.live.waitUntilRecovered(sessionId);
    const view = row.phase === "ended" ? null : await this.#ports.live.getView(sessionId);
    if (view !== null && (practiceToken === undefined || view.joined))
      throw new ArcadeError(
        "IDEMPOTENCY_CONFLICT",
        "The session of this Idempotency-Key is being played; use a new key for another session.",
      );
    return this.#toStartResponse(row, { practiceToken: practiceToken ?? null, familyId: null });
  }

  /** Keeps a session open whose player has no socket. Throws `SESSION_ENDED`. */
  async heartbeat(slug: string, sessionId: string, player: Player) {
    const row = await this.#findPlayed(slug, sessionId, player);
    await this.#ports.live.waitUntilRecovered(sessionId);
    const result = row.phase === "ended" ? null : await this.#ports.live.heartbeat(sessionId);
    if (result !== null) return result;
    throw new ArcadeError("SESSION_ENDED", `Session ${sessionId} has ended; start a new one.`, { sessionId });
  }

  /** Runs the next ticks of a practice session with lockstep. Throws `SESSION_NOT_LOCKSTEP` or `SESSION_ENDED`. */
  async step(slug: string, sessionId: string, player: Player, request: StepRequest) {
    const row = await this.#findPlayed(slug, sessionId, player);
    await this.#ports.live.waitUntilRecovered(sessionId);
    const result = row.phase === "ended" ? null : await this.#ports.live.step(sessionId, request);
    if (result !== null) return result;
    throw new ArcadeError("SESSION_ENDED", `Session ${sessionId} has ended; start a new one.`, { sessionId });
  }

  /** Ends the session; ending it twice returns the same record. */
  async end(slug: string, sessionId: string, player: Player) {
    const row = await this.findOwn(slug, sessionId, player);
    await this.#ports.live.waitUntilRecovered(sessionId);
    const ended = row.phase === "ended" ? null : await this.#ports.live.end(sessionId, "ended_by_player");
    return { session: await this.#toView(ended ?? (await this.find(slug, sessionId))) };
  }

  /** A session of the game, as anyone may see it. Throws `SESSION_NOT_FOUND`. */
  async get(slug: string, sessionId: string) {
    return { session: await this.#toView(await this.find(slug, sessionId)) };
  }

  /** As `get`, for callers that do not know the game. Throws `SESSION_NOT_FOUND`. */
  async getById(sessionId: string) {
    const row = await this.#ports.store.find(sessionId);
    if (row !== null) return { session: await this.#toView(row) };
    throw new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId}.`);
  }

  /** The session with this id or `gameSessionHash`, as a list of one or none. Never finds practice. */
  async search(text: string) {
    const { store } = this.#ports;
    const id = text.toLowerCase();
    const row = await (id.startsWith("0x") ? store.findByHash(id as Hex) : store.find(id));
    return row?.source === "agent_api" ? [await this.#toView(row)] : [];
  }

  /** The sessions of agents that can be watched now. */
  async listLive(query: Parameters<SessionStore["listLive"]>[0]) {
    return this.#toPage(query, await this.#ports.store.listLive(query));
  }

  /** The sessions of the service's own agents. */
  listDemo(query: Parameters<SessionStore["listLive"]>[0]) {
    const running = this.#ports.live.listDemo(query.slug);
    const from = (query.page - 1) * query.limit;
    return this.#toPage(query, { items: running.slice(from, from + query.limit), total: running.length });
  }

  /** Starts a session of the service's own agents. Throws `SERVER_FULL`. */
  openDemo(slug: string): Promise<SessionRow> {
    const player = { wallet: null, agentId: null, agentName: DEMO_AGENT_NAME, practiceTokenHash: null };
    return this.#open({ slug, source: "browser_ws", ip: null, isLockstep: false, player });
  }

  /** A wallet's own sessions. */
  async listMine(query: Parameters<SessionStore["listMine"]>[0]) {
    return this.#toPage(query, await this.#ports.store.listMine(query));
  }

  /** Verified agent sessions of a game, as anyone may see them. */
  async listRuns(query: Omit<Parameters<SessionStore["listRuns"]>[0], "nowMs">) {
    const { store, clock, index } = this.#ports;
    const { items, total } = await store.listRuns({ ...query, nowMs: clock.nowMs() });
    const runs = items.map((row) => toRunView(row, index.getFinality()));
    return { items: runs, page: query.page, limit: query.limit, total };
  }

  /** The wallet's best ended run of a game, without withheld ones; null before the first. */
  async getHighScore(wallet: Address, slug: string) {
    const row = await this.#ports.store.findBest(wallet, slug);
    const highScore =
      row === null || row.endedAtMs === null
        ? null
        : { score: row.score, sessionId: row.sessionId, at: toIso(row.endedAtMs) };
    return { highScore, sessionId: row?.sessionId ?? null };
  }

  #open(start: Omit<SessionStart, "sessionId">): Promise<SessionRow> {
    const { starts, clock } = this.#ports;
    return starts.open({ ...start, sessionId: uuidV7(clock.nowMs(), randomBytes(10)) });
  }

  async #startPractice({ slug, source, wallet, familyId, ip, lockstep }: StartRequest) {
    const practiceToken = wallet === null ? createToken("practice") : null;
    const practiceTokenHash = practiceToken === null ? null : hashToken(practiceToken);
    const player = { wallet, agentId: null, agentName: null, practiceTokenHash };
    const row = await this.#open({ slug, source, ip, isLockstep: lockstep, player });
    if (practiceToken !== null) this.#addUnclaimedToken(row.sessionId, practiceToken);
    return this.#toStartResponse(row, { practiceToken, familyId });
  }

  async #startAgent(request: StartRequest & { readonly wallet: Address }) {
    const { slug, source, wallet, familyId, ip, forfeitPending } = request;
    const { identity, gates, outageMs } = this.#ports;
    const areGatesSkipped = outageMs() >= GATES_SKIPPED_AFTER_MS;
    const agentId = areGatesSkipped ? await identity.findAgentId(wallet) : await identity.requireIdentity(wallet);
    if (!areGatesSkipped) await gates.pass({ wallet, agentId: agentId!, slug, forfeit: forfeitPending });
    const agentName = agentId === null ? null : await this.#readAgentName(agentId, areGatesSkipped);
    const player = { wallet, agentId, agentName, practiceTokenHash: null };
    const row = await this.#open({ slug, source, ip, isLockstep: false, player });
    return this.#toStartResponse(row, { practiceToken: null, familyId });
  }

  /** Agent names are on chain; while the chain is unavailable, an agent plays without its name. */
  #readAgentName(agentId: string, isChainAway: boolean): Promise<string | null> {
    const name = this.#ports.identity.getName(agentId);
    return isChainAway ? readOrElse(name, null) : name;
  }

  #addUnclaimedToken(sessionId: string, practiceToken: string): void {
    this.#unclaimedTokens.set(sessionId, practiceToken);
    if (this.#unclaimedTokens.size > UNCLAIMED_TOKENS_MAX)
      this.#unclaimedTokens.delete(this.#unclaimedTokens.keys().next().value!);
  }

  async #toStartResponse(
    row: SessionRow,
    { practiceToken, familyId }: { readonly practiceToken: string | null; readonly familyId: string | null },
  ) {
    const { channelTokens, catalog } = this.#ports;
    const { token } = await channelTokens.issuePlay(row, familyId);
    return {
      session: await this.#toView(row),
      sessionId: row.sessionId,
      playToken: token,
      ...(practiceToken === null ? {} : { practiceToken }),
      wsUrl: catalog.getChannelUrl(row.slug, "play", row.sessionId),
      heartbeatSeconds: SESSION_TIMES.heartbeatSeconds,
    };
  }

  async #toView(row: SessionRow) {
    const { index, live } = this.#ports;
    const running = row.phase === "ended" ? null : await live.peekView(row.sessionId);
    return toSessionView(row, running, index.getFinality(), this.#ports);
  }

  async #toPage({ page, limit }: PageQuery, { items, total }: Page<SessionRow>) {
    return { items: await Promise.all(items.map((row) => this.#toView(row))), page, limit, total };
  }
}
