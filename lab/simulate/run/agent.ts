/** An agent of a run: takes the next step, based on the true state of chain and service, until it is paid. */
import type { Address, Hex } from "viem";
import type { SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import type { Answer, PayoutView } from "../../../client/api.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import type { Random } from "../../../testing/random.ts";
import { checkAccount, checkKeys, checkPayoutView, checkTerms } from "./account-checks.ts";
import { tally } from "./game.ts";
import type { AgentMemory } from "./initial-state.ts";
import { KeyedRequests } from "./keyed-requests.ts";
import { Login } from "./login.ts";
import type { Refusal } from "./no-answer.ts";
import { type Action, OutOfTurn } from "./out-of-turn.ts";
import { watchPayout } from "./payout-watch.ts";
import { Player } from "./player.ts";
import { Requests } from "./request.ts";
import { SponsoredCalls } from "./sponsored-calls.ts";
import { IS_BEHIND, isEverythingBehind, type Progress } from "./stages.ts";
import type { World } from "./world.ts";

const { slug } = tally;
const BLOCK_WAIT_MS = 5_000;
const DOCUMENT_KEPT_MS = 3_600_000;

/** A call that the service has signed. */
interface Signed {
  readonly typedData: TypedData;
  readonly call: { readonly to: Address; readonly data: Hex };
}

const NO_MEMORY: AgentMemory = { token: null, ended: new Set() };

export class Agent {
  readonly wallet: Address;
  readonly #world: World;
  readonly #random: Random;
  /** How many sessions it intends to play. */
  readonly #rounds: number;
  /** Whether it requests a payout only once and then follows it, so that only the service can repair it. */
  readonly #isPatient: boolean;
  #payoutId: string | null = null;
  readonly #requests: Requests;
  readonly #login: Login;
  readonly #keyed: KeyedRequests;
  readonly #sponsored: SponsoredCalls;
  readonly #player: Player;
  readonly #outOfTurn: OutOfTurn | null;
  /** The current action, for the report of a run that does not end. */
  doing = "nothing";

  /** `address`: its IP address. */
  constructor(world: World, key: SigningKey, address: string, memory: AgentMemory | null) {
    const { token, ended } = memory ?? NO_MEMORY;
    this.#world = world;
    this.wallet = key.address;
    this.#random = world.randoms.agents.fork();
    this.#requests = new Requests(world, address);
    this.#login = new Login(world, key, this.#random, this.#requests, token);
    const [requests, login] = [this.#requests, this.#login];
    this.#keyed = new KeyedRequests(world, key.address, login);
    this.#sponsored = new SponsoredCalls(world, key, requests, login);
    this.#player = new Player(world, address, this.#random, { requests, login, keyed: this.#keyed, ended });
    this.#rounds = world.stage === "registration" ? 0 : world.kind.drawSessions(this.#random);
    this.#isPatient = world.kind.isHarsh && this.#random.chance(0.5);
    this.#outOfTurn = world.behavior.callOutOfTurn ? new OutOfTurn(world, key.address) : null;
  }

  /** Whether it has done all stages of the run: everything that was played is paid. */
  get isDone(): boolean {
    if (this.#outOfTurn?.isUnderWay) return false;
    return isEverythingBehind(this.#world.stage ?? "payout", this.#progress);
  }

  get memory(): AgentMemory {
    return { token: this.#login.token, ended: this.#player.ended };
  }

  get #progress(): Progress {
    const { state } = this.#world.chain.head;
    return { state, wallet: this.wallet, ended: this.#player.ended.size, wanted: this.#rounds };
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#world.loop.sleep(this.#random.between(100, 1_500));
      if (this.isDone) continue;
      this.#outOfTurn?.begin(this.#listEarly(), (error) => this.#onError(error));
      await this.#doNext().catch((error: Refusal) => this.#onError(error));
    }
  }

  /** Call it when everything is settled. */
  async checkAccount(): Promise<void> {
    await checkAccount(this.#world, this.wallet, this.#login);
    await checkKeys(this.#world, this.wallet, this.#login);
  }

  async #onError({ code }: Refusal): Promise<void> {
    if (code === "PAYOUT_NOT_READY") await this.#world.loop.sleep(2_000);
    if (code === "TOKEN_INVALID" || code === "TOKEN_EXPIRED") this.#login.close();
  }

  async #doNext(): Promise<void> {
    const progress = this.#progress;
    if (this.#login.token === null) return await this.#signIn();
    if (!IS_BEHIND.registration(progress)) return await this.#register();
    if (this.#player.sessionId !== null) return await this.#play(this.#player.sessionId);
    if (!IS_BEHIND.snapshot(progress)) return await this.#snapshot();
    // With two starts under way, one session could begin after the last one that the agent plays.
    if (!IS_BEHIND.session(progress)) return this.#outOfTurn?.isUnderWay ? undefined : await this.#start();
    if (this.#world.stage === "mint") return await this.#mint();
    await this.#payout();
  }

  /** Actions that the agent can try although another one is due. */
  #listEarly(): readonly Action[] {
    if (this.#login.token === null) return [];
    const { registration, session, snapshot } = IS_BEHIND;
    const progress = this.#progress;
    const actions = [() => this.#register(), () => this.#snapshot(), () => this.#mint()];
    // A request under a key is repeated until it is answered, one at a time.
    if (this.#world.behavior.useKeys) return actions;
    // A session that the agent does not play would not end.
    const mayStart = !session(progress) && (!registration(progress) || !snapshot(progress));
    return [...actions, () => this.#payout(), ...(mayStart ? [() => this.#start()] : [])];
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
    const input = { walletAddress: this.wallet, agentName: "Agent" };
    if (this.#sponsored.isOn) return await this.#sponsored.register(input);
    const keptUntilMs = world.leastWallMs + DOCUMENT_KEPT_MS;
    const onAnswer = (answer: Answer<"identity.register">): void => {
      const { typedData } = this.#observe(answer as Signed);
      const digest = (typedData.message.metadataDigest as string).slice(2);
      const sql = "select 1 from metadata_documents where digest = ?";
      // A document is removed after a day if no mint follows.
      world.observations.acknowledge("document", sql, [digest], keptUntilMs);
    };
    const signed = await this.#requests.ask("identity.register", input, { onAnswer });
    await this.#send(signed as Signed);
  }

  #observe(signed: Signed): Signed {
    this.#world.observations.addSignature(signed.typedData);
    return signed;
  }

  /** Sends a call, and waits a while for its block. */
  async #send({ call: { to, data } }: Signed): Promise<void> {
    const world = this.#world;
    if (this.#outOfTurn?.isAbandoned({ to, data })) return;
    const hash: Hex = world.chain.sendCall(this.wallet, to, data);
    const untilMs = world.loop.nowMs + BLOCK_WAIT_MS;
    while (world.chain.find(hash) === null && world.loop.nowMs < untilMs) await world.loop.sleep(500);
  }

  async #start(): Promise<void> {
    this.doing = "starting a session";
    try {
      await this.#player.start();
    } catch (error) {
      const { code } = error as Refusal;
      if (code === "NFT_MINT_REQUIRED") return await this.#mint();
      if (code === "SNAPSHOT_REQUIRED") return await this.#snapshot();
      throw error;
    }
  }

  async #snapshot(): Promise<void> {
    this.doing = "snapshotting";
    const all = this.#random.chance(0.3);
    // The next payout includes more points.
    this.#keyed.forget("rewards.payout");
    if (this.#sponsored.isOn) return await this.#sponsored.snapshot(all);
    const onAnswer = (answer: Answer<"rewards.snapshot">): void => {
      // A batch has facts of several sessions, each of which may also be signed separately.
      if (answer.mode === "sign" && !all) this.#observe(answer as Signed);
    };
    const answer = await this.#login.ask("rewards.snapshot", { all }, { onAnswer });
    if (answer.mode === "sign") await this.#send(answer as Signed);
  }

  async #mint(): Promise<void> {
    this.doing = "minting";
    if (this.#sponsored.isOn) return await this.#sponsored.mint();
    const onAnswer = (answer: Answer<"nft.prepare">): void => {
      if (answer.action !== "none") this.#observe(answer as Signed);
    };
    const answer = await this.#login.ask("nft.prepare", { slug }, { onAnswer });
    if (answer.action !== "none") await this.#send(answer as Signed);
  }

  async #payout(): Promise<void> {
    this.doing = "being paid";
    if (this.#isPatient && this.#payoutId !== null && (await this.#isPayoutOpen(this.#payoutId))) return;
    const watch = watchPayout(this.#world, this.wallet);
    const onAnswer = (answer: Answer<"rewards.payout">): void => {
      const { payoutId } = answer as PayoutView;
      this.#payoutId = payoutId;
      watch.onAnswer(payoutId);
      checkPayoutView(this.#world, this.wallet, answer as PayoutView);
      const sql = "select 1 from payouts where payout_id = ?";
      this.#world.observations.acknowledge("payout", sql, [payoutId]);
    };
    try {
      await this.#keyed.ask("rewards.payout", {}, onAnswer);
    } catch (error) {
      const { code, fields } = error as Refusal;
      if (code === "PAYOUT_NOT_READY") watch.onNotReady();
      if (code === "PAYOUT_NOT_READY") checkTerms(this.#world, this.wallet, fields!, (error as Error).message);
      throw error;
    }
  }

  /** Whether the service still has to put a payout on chain, including one that a reorganization has removed. */
  async #isPayoutOpen(payoutId: string): Promise<boolean> {
    const onAnswer = (view: PayoutView): void => checkPayoutView(this.#world, this.wallet, view);
    const { status, txHash } = await this.#login.ask("rewards.payoutStatus", { payoutId }, { onAnswer });
    const isPaid = txHash !== null && this.#world.chain.find(txHash) !== null;
    return status !== "failed" && !isPaid;
  }
}
