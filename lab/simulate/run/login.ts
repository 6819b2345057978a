/** An agent's access token: how it gets one, and its requests under it. */
import { hashMessage } from "../../../backend/adapters/signer/recover.ts";
import type { SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import type { Answer, Input, RouteName } from "../../../client/api.ts";
import type { Random } from "../../../testing/random.ts";
import { tally } from "./game.ts";
import type { RequestOptions, Requests } from "./request.ts";
import type { World } from "./world.ts";

const { slug } = tally;

export class Login {
  readonly #world: World;
  readonly #key: SigningKey;
  readonly #random: Random;
  readonly #requests: Requests;
  #token: string | null;

  /** `token`: from the previous run. */
  constructor(world: World, key: SigningKey, random: Random, requests: Requests, token: string | null) {
    this.#world = world;
    this.#key = key;
    this.#random = random;
    this.#requests = requests;
    this.#token = token;
  }

  get token(): string | null {
    return this.#token;
  }

  /** Forgets a token that the service has rejected. */
  close(): void {
    this.#token = null;
  }

  async signIn(): Promise<void> {
    const { observations } = this.#world;
    const onNonce = (answer: Answer<"auth.nonce">): void => {
      const sql = "select 1 from nonces where nonce = ?";
      observations.acknowledge("nonce", sql, [answer.nonce], Date.parse(answer.expiresAt));
    };
    const input = { slug, walletAddress: this.#key.address };
    const { nonce, message } = await this.#requests.ask("auth.nonce", input, { onAnswer: onNonce });
    const signature = this.#key.signDigest(hashMessage(message));
    const onVerified = ({ accessToken, accessExpiresAt }: Answer<"auth.verify">): void => {
      observations.use("nonce", nonce);
      const sql = "select 1 from access_tokens where token_hash = ?";
      observations.acknowledge("access token", sql, [hashToken(accessToken)], Date.parse(accessExpiresAt));
    };
    const verify = () => this.#requests.ask("auth.verify", { slug, message, signature }, { onAnswer: onVerified });
    // A message that is sent twice must not open two sign-ins.
    const isRepeated = this.#random.chance(0.2);
    const answers = await Promise.allSettled(isRepeated ? [verify(), verify()] : [verify()]);
    // The second one may arrive first.
    const verified = answers.find(({ status }) => status === "fulfilled") ?? answers[0]!;
    if (verified.status === "rejected") throw verified.reason;
    this.#token = verified.value.accessToken;
  }

  /** A request under the agent's token. */
  ask<Name extends RouteName>(
    name: Name,
    input: Input<Name>,
    options: Omit<RequestOptions<Answer<Name>>, "token"> = {},
  ): Promise<Answer<Name>> {
    return this.#requests.ask(name, input, { ...options, token: this.#token! });
  }
}
