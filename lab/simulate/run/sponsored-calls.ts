/** Calls of a wallet without ether: the operator sends them and pays their gas until it declines. */
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import type { SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import type { Answer, Input } from "../../../client/api.ts";
import type { TypedData } from "../../../domain/typed-data/messages.ts";
import { tally } from "./game.ts";
import type { Login } from "./login.ts";
import type { Requests } from "./request.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const { slug } = tally;
const READS_MAX = 5;
const READ_EVERY_MS = 1_000;

/** An answer to a request with `sponsor`: the operator's call, a consent to sign first, or nothing to do. */
interface Sponsored {
  readonly mode?: string;
  readonly relayId?: string;
  readonly status?: string;
  readonly call?: object;
  readonly typedData?: object;
}

type Consent = Extract<Answer<"identity.register">, { readonly mode: "consent" }>;

export class SponsoredCalls {
  readonly #world: World;
  readonly #key: SigningKey;
  readonly #requests: Requests;
  readonly #login: Login;
  #isRefused = false;

  constructor(world: World, key: SigningKey, requests: Requests, login: Login) {
    this.#world = world;
    this.#key = key;
    this.#requests = requests;
    this.#login = login;
  }

  /** False once the operator has declined. The wallet then gets ether and sends its calls itself. */
  get isOn(): boolean {
    return this.#world.behavior.areSponsored && !this.#isRefused;
  }

  register(input: Input<"identity.register">): Promise<void> {
    return this.#noteRefusal(async () => {
      const sponsored = { ...input, sponsor: true };
      const onAnswer = (answer: unknown): void => this.#check(answer as Sponsored);
      const asked = (await this.#requests.ask("identity.register", sponsored, { onAnswer })) as Consent;
      const consent = this.#key.signDigest(hashTypedData(asked.consent as TypedData));
      const { deadline, nonce } = asked;
      const signed = { ...sponsored, deadline, nonce, consent };
      const answer: unknown = await this.#requests.ask("identity.register", signed, { onAnswer });
      await this.#waitForBlock(answer as Sponsored);
    });
  }

  snapshot(all: boolean): Promise<void> {
    return this.#relay("rewards.snapshot", { all, sponsor: true });
  }

  mint(): Promise<void> {
    return this.#relay("nft.prepare", { slug, sponsor: true });
  }

  #relay<Name extends "rewards.snapshot" | "nft.prepare">(name: Name, input: Input<Name>): Promise<void> {
    return this.#noteRefusal(async () => {
      const onAnswer = (answer: unknown): void => this.#check(answer as Sponsored);
      const answer: unknown = await this.#login.ask(name, input, { onAnswer });
      await this.#waitForBlock(answer as Sponsored);
    });
  }

  async #noteRefusal(work: () => Promise<void>): Promise<void> {
    const end = this.#world.sponsorship.begin(this.#key.address);
    try {
      await work();
    } catch (error) {
      const { code, fields } = error as { readonly code?: string; readonly fields?: { readonly call?: object } };
      // From a route without a token.
      if (code === "AUTH_REQUIRED") this.#login.close();
      if (code === "SPONSORSHIP_EXHAUSTED") {
        this.#isRefused = true;
        if (fields?.call === undefined) this.#fail("a refused sponsorship has the call to send", code);
      }
      throw error;
    } finally {
      end();
    }
  }

  /** Polls the relay for a while. The agent's next step depends on the chain. */
  async #waitForBlock(answer: Sponsored): Promise<void> {
    const { relayId } = answer;
    if (relayId === undefined) return;
    let { status } = answer;
    for (let reads = 0; reads < READS_MAX && (status === "queued" || status === "sent"); reads++) {
      await this.#world.loop.sleep(READ_EVERY_MS);
      ({ status } = await this.#login.ask("relays.get", { relayId }));
    }
  }

  #check(answer: Sponsored): void {
    const { mode, relayId, call, typedData } = answer;
    const { observations } = this.#world;
    if (mode === "consent" && typedData !== undefined) observations.addSignature(typedData as TypedData);
    if (mode !== "consent" && call !== undefined) this.#fail("a sponsored call needs no ether", `mode ${mode}`);
    if (relayId !== undefined) observations.acknowledge("relay", "select 1 from relays where relay_id = ?", [relayId]);
    this.#world.sponsorship.check();
  }

  #fail(invariant: string, detail: string): void {
    this.#world.fail(new Violation(invariant, `${this.#key.address}: ${detail}`));
  }
}
