/** An agent of a life: does whatever the truth of chain and service says is next, until it is paid. */
import type { Address, Hex } from "viem";
import { createLimiter } from "../../../backend/adapters/limiter.ts";
import { hashJson } from "../../../backend/adapters/signer/keccak.ts";
import { hashMessage } from "../../../backend/adapters/signer/recover.ts";
import type { SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import type { Call } from "../../../backend/domain/typed-data/calls.ts";
import type { TypedData } from "../../../backend/domain/typed-data/messages.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import { authenticate } from "../../../backend/ws/authenticate.ts";
import { runAs } from "../world/event-loop.ts";
import type { Random } from "../world/random.ts";
import type { SimulatedBackend } from "./backend.ts";
import { tally } from "./game.ts";
import type { World } from "./world.ts";

const { slug } = tally;
const BLOCK_WAIT_MS = 5_000;
const DOCUMENT_KEPT_MS = 3_600_000;

interface Signed {
  readonly typedData: TypedData;
  readonly call: Call;
}

interface ErrorLike {
  readonly code?: string;
  readonly details?: { readonly sessionId?: string };
}

export class Agent {
  readonly wallet: Address;
  readonly #world: World;
  readonly #key: SigningKey;
  readonly #random: Random;
  /** How many sessions it wants to have played. */
  readonly #rounds: number;
  #ended = new Set<string>();
  #token: string | null = null;
  #sessionId: string | null = null;
  /** Where it is, for the report of a life that does not come to its end. */
  doing = "nothing";

  constructor(world: World, key: SigningKey) {
    this.#world = world;
    this.#key = key;
    this.wallet = key.address;
    this.#random = world.randoms.agents.fork();
    this.#rounds = 1 + this.#random.int(2);
  }

  /** True when everything that was played is paid. */
  get isDone(): boolean {
    const { state } = this.#world.chain.head;
    const wallet = this.wallet.toLowerCase();
    const account = state.accounts.get(wallet);
    return (
      this.#ended.size >= this.#rounds &&
      account !== undefined &&
      Number(account.snapshots) >= this.#ended.size &&
      account.scorebank === 0n
    );
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#world.loop.sleep(this.#random.between(100, 1_500));
      if (this.isDone) continue;
      await this.#doNext().catch((error: ErrorLike) => this.#onError(error));
    }
  }

  async #onError({ code }: ErrorLike): Promise<void> {
    if (code === "PAYOUT_NOT_READY") await this.#world.loop.sleep(2_000);
    if (code === "TOKEN_INVALID" || code === "TOKEN_EXPIRED") this.#token = null;
  }

  async #doNext(): Promise<void> {
    const { state } = this.#world.chain.head;
    const holder = state.holders.get(this.wallet.toLowerCase());
    if (this.#token === null) return await this.#signIn();
    if (holder === undefined || holder.primaryId === 0n) return await this.#register();
    if (this.#sessionId !== null) return await this.#play(this.#sessionId);
    if (Number(state.accounts.get(this.wallet.toLowerCase())?.snapshots ?? 0n) < this.#ended.size)
      return await this.#snapshot();
    if (this.#ended.size < this.#rounds) return await this.#start();
    await this.#payout();
  }

  async #signIn(): Promise<void> {
    this.doing = "signing in";
    const world = this.#world;
    const { nonce, message } = await world.request(
      "nonce",
      (backend) => backend.request(({ auth }) => auth.createNonce({ slug, walletAddress: this.wallet })),
      (answer) => {
        const sql = "select 1 from nonces where nonce = ?";
        world.observations.acknowledge("nonce", sql, [answer.nonce], Date.parse(answer.expiresAt));
      },
    );
    const signature = this.#key.signDigest(hashMessage(message));
    const verify = () =>
      world.request(
        "verify",
        (backend) => backend.request(({ auth }) => auth.verify({ slug, message, signature })),
        ({ accessToken, accessExpiresAt }) => {
          world.observations.use("nonce", nonce);
          const sql = "select 1 from access_tokens where token_hash = ?";
          world.observations.acknowledge("access token", sql, [hashToken(accessToken)], Date.parse(accessExpiresAt));
        },
      );
    // A message that is sent twice must not open two sign-ins.
    const isRepeated = this.#random.chance(0.2);
    const [first] = await Promise.allSettled(isRepeated ? [verify(), verify()] : [verify()]);
    if (first!.status === "rejected") throw first!.reason;
    this.#token = first!.value.accessToken;
  }

  /** A request under the agent's token, as the pipeline authenticates it. */
  #ask<T>(
    name: string,
    work: (backend: SimulatedBackend, familyId: string) => Promise<T>,
    onAnswer?: (answer: T) => void,
  ): Promise<T> {
    const token = this.#token!;
    return this.#world.request(
      name,
      (backend) =>
        backend.request(async ({ auth }) => {
          const caller = await auth.authenticate(token, false);
          if (caller.kind !== "wallet") throw new Error("an access token is of a wallet");
          return await work(backend, caller.familyId);
        }),
      onAnswer,
    );
  }

  async #register(): Promise<void> {
    this.doing = "registering";
    const world = this.#world;
    const signed = await world.request(
      "register",
      (backend) =>
        backend.request(({ identity }) =>
          identity.register({ walletAddress: this.wallet, agentName: "Agent" } as never),
        ),
      (answer) => {
        this.#observe(answer);
        const digest = (answer.typedData.message.metadataDigest as string).slice(2);
        const sql = "select 1 from metadata_documents where digest = ?";
        // A document that no mint has followed is removed after a day.
        this.#world.observations.acknowledge("document", sql, [digest], this.#world.wallMs + DOCUMENT_KEPT_MS);
      },
    );
    await this.#send(signed.call);
  }

  #observe({ typedData }: Signed): void {
    const { observations } = this.#world;
    observations.addSignature(typedData);
    const { primaryType, domain, message } = typedData;
    const { deadline: _, ...facts } = message;
    const { chainId, verifyingContract } = domain;
    const payloadHash = hashJson({ chainId, verifyingContract, primaryType, facts });
    observations.acknowledge("signature", "select 1 from signings where payload_hash = ?", [payloadHash]);
  }

  /** Sends a call, and waits a while for its block. */
  async #send({ to, data }: Call): Promise<void> {
    const world = this.#world;
    const hash: Hex = world.chain.sendCall(this.wallet, to, data);
    const untilMs = world.loop.nowMs + BLOCK_WAIT_MS;
    while (world.chain.find(hash) === null && world.loop.nowMs < untilMs) await world.loop.sleep(500);
  }

  async #start(): Promise<void> {
    this.doing = "starting a session";
    const { wallet } = this;
    const request = {
      slug,
      source: "agent_api" as const,
      forfeitPending: false,
      lockstep: false,
      wallet,
      ip: "203.0.113.7",
    };
    try {
      const { sessionId } = await this.#ask(
        "start",
        (backend, familyId) => backend.services.sessions.start({ ...request, familyId }),
        (answer) => this.#acknowledgeSession(answer.sessionId),
      );
      this.#sessionId = sessionId;
    } catch (error) {
      const { code, details } = error as ErrorLike;
      if (code === "SESSION_ACTIVE" && details?.sessionId !== undefined) this.#sessionId = details.sessionId;
      if (code === "NFT_MINT_REQUIRED") return await this.#mint();
      if (code === "SNAPSHOT_REQUIRED") return await this.#snapshot();
      throw error;
    }
  }

  #acknowledgeSession(sessionId: string): void {
    this.#world.observations.acknowledge("session", "select 1 from sessions where session_id = ?", [sessionId]);
  }

  async #play(sessionId: string): Promise<void> {
    this.doing = "playing";
    const { session } = await this.#ask("session", (backend) => backend.services.sessions.get(slug, sessionId));
    if (session.phase === "ended") return this.#onEnded(sessionId, session.score);
    const { token } = await this.#ask("play token", async (backend, familyId) => {
      const { sessions, channelTokens } = backend.services;
      const row = await sessions.findOwn(slug, sessionId, { kind: "wallet", wallet: this.wallet, familyId } as never);
      return await channelTokens.issuePlay(row, familyId);
    });
    await this.#world.request("play", (backend) => this.#steer(backend, sessionId, token));
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
    const { session } = await this.#ask(
      "end",
      (backend, familyId) =>
        backend.services.sessions.end(slug, sessionId, { kind: "wallet", wallet: this.wallet, familyId } as never),
      (answer) => {
        const sql = "select 1 from sessions where session_id = ? and ended_at_ms is not null and score = ?";
        this.#world.observations.acknowledge("final score", sql, [sessionId, answer.session.score]);
      },
    );
    this.#onEnded(sessionId, session.score);
  }

  #onEnded(sessionId: string, score: number): void {
    this.#sessionId = null;
    if (score > 0) this.#ended.add(sessionId);
  }

  async #snapshot(): Promise<void> {
    this.doing = "snapshotting";
    const request = { wallet: this.wallet, sessionId: null, slug: null, txHash: null };
    const answer = this.#random.chance(0.3)
      ? await this.#ask("snapshot all", (backend) => backend.services.rewards.snapshotAll(request))
      : await this.#ask(
          "snapshot",
          (backend) => backend.services.rewards.snapshot(request),
          (signed) => {
            if (signed.mode === "sign") this.#observe(signed);
          },
        );
    if (answer.mode === "sign") await this.#send(answer.call);
  }

  async #mint(): Promise<void> {
    this.doing = "minting";
    const request = { wallet: this.wallet, slug, sessionId: null, tokenId: null, withSnapshot: false };
    const answer = await this.#ask(
      "nft",
      (backend) => backend.services.nft.prepare(request),
      (signed) => {
        if (signed.action !== "none") this.#observe(signed);
      },
    );
    if (answer.action !== "none") await this.#send(answer.call);
  }

  async #payout(): Promise<void> {
    this.doing = "being paid";
    await this.#ask(
      "payout",
      (backend) => backend.services.payouts.relay(this.wallet, null),
      ({ payoutId }) =>
        this.#world.observations.acknowledge("payout", "select 1 from payouts where payout_id = ?", [payoutId]),
    );
  }
}
