/** An agent of a life: does whatever the truth of chain and service says is next, until it is paid. */
import type { Address, Hex } from "viem";
import type { SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import type { Call } from "../../../backend/domain/typed-data/calls.ts";
import type { TypedData } from "../../../backend/domain/typed-data/messages.ts";
import type { Random } from "../world/random.ts";
import { tally } from "./game.ts";
import { Login } from "./login.ts";
import { Player } from "./player.ts";
import { request } from "./request.ts";
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
}

export class Agent {
  readonly wallet: Address;
  readonly #world: World;
  readonly #random: Random;
  /** How many sessions it wants to have played. */
  readonly #rounds: number;
  /** True: it asks for a payout once and then follows it, so that nothing but the service itself repairs it. */
  readonly #isPatient: boolean;
  #payoutId: string | null = null;
  readonly #login: Login;
  readonly #player: Player;
  /** Where it is, for the report of a life that does not come to its end. */
  doing = "nothing";

  constructor(world: World, key: SigningKey) {
    this.#world = world;
    this.wallet = key.address;
    this.#random = world.randoms.agents.fork();
    this.#login = new Login(world, key, this.#random);
    this.#player = new Player(world, key.address, this.#random, this.#login);
    this.#rounds = 1 + this.#random.int(2);
    this.#isPatient = world.isHarsh && this.#random.chance(0.5);
  }

  /** True when everything that was played is paid. */
  get isDone(): boolean {
    const { state } = this.#world.chain.head;
    const wallet = this.wallet.toLowerCase();
    const account = state.accounts.get(wallet);
    return (
      this.#player.ended.size >= this.#rounds &&
      account !== undefined &&
      Number(account.snapshots) >= this.#player.ended.size &&
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
    if (code === "TOKEN_INVALID" || code === "TOKEN_EXPIRED") this.#login.close();
  }

  async #doNext(): Promise<void> {
    const { state } = this.#world.chain.head;
    const holder = state.holders.get(this.wallet.toLowerCase());
    if (!this.#login.isOpen) return await this.#signIn();
    if (holder === undefined || holder.primaryId === 0n) return await this.#register();
    if (this.#player.sessionId !== null) return await this.#play(this.#player.sessionId);
    if (Number(state.accounts.get(this.wallet.toLowerCase())?.snapshots ?? 0n) < this.#player.ended.size)
      return await this.#snapshot();
    if (this.#player.ended.size < this.#rounds) return await this.#start();
    await this.#payout();
  }

  async #signIn(): Promise<void> {
    this.doing = "signing in";
    await this.#login.signIn();
  }

  async #play(sessionId: string): Promise<void> {
    this.doing = "playing";
    await this.#player.play(sessionId);
  }

  async #register(): Promise<void> {
    this.doing = "registering";
    const world = this.#world;
    const signed = await request(
      world,
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
    this.#world.observations.addSignature(typedData);
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
    try {
      await this.#player.start();
    } catch (error) {
      const { code } = error as ErrorLike;
      if (code === "NFT_MINT_REQUIRED") return await this.#mint();
      if (code === "SNAPSHOT_REQUIRED") return await this.#snapshot();
      throw error;
    }
  }

  async #snapshot(): Promise<void> {
    this.doing = "snapshotting";
    const request = { wallet: this.wallet, sessionId: null, slug: null, txHash: null };
    const answer = this.#random.chance(0.3)
      ? await this.#login.ask("snapshot all", (backend) => backend.services.rewards.snapshotAll(request))
      : await this.#login.ask(
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
    const answer = await this.#login.ask(
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
    if (this.#isPatient && this.#payoutId !== null && (await this.#isPayoutOpen(this.#payoutId))) return;
    await this.#login.ask(
      "payout",
      (backend) => backend.services.payouts.relay(this.wallet, null),
      ({ payoutId }) => {
        this.#payoutId = payoutId;
        const sql = "select 1 from payouts where payout_id = ?";
        this.#world.observations.acknowledge("payout", sql, [payoutId]);
      },
    );
  }

  /** Whether the service still has to bring a payout to the chain, also where a reorganization has undone it. */
  async #isPayoutOpen(payoutId: string): Promise<boolean> {
    const { status, txHash } = await this.#login.ask("payout status", (backend) =>
      backend.services.payouts.getStatus(this.wallet, payoutId),
    );
    const isPaid = txHash !== null && this.#world.chain.find(txHash) !== null;
    return status !== "failed" && !isPaid;
  }
}
