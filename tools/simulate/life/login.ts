/** An agent's access token: how it gets one, and its requests under it. */
import { hashMessage } from "../../../backend/adapters/signer/recover.ts";
import type { SigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import { hashToken } from "../../../backend/services/auth/tokens.ts";
import type { Random } from "../world/random.ts";
import type { SimulatedBackend } from "./backend.ts";
import { tally } from "./game.ts";
import { request } from "./request.ts";
import type { World } from "./world.ts";

const { slug } = tally;

export class Login {
  readonly #world: World;
  readonly #key: SigningKey;
  readonly #random: Random;
  #token: string | null = null;

  constructor(world: World, key: SigningKey, random: Random) {
    this.#world = world;
    this.#key = key;
    this.#random = random;
  }

  get isOpen(): boolean {
    return this.#token !== null;
  }

  /** Forgets a token that the service has refused. */
  close(): void {
    this.#token = null;
  }

  async signIn(): Promise<void> {
    const world = this.#world;
    const { nonce, message } = await request(
      world,
      "nonce",
      (backend) => backend.request(({ auth }) => auth.createNonce({ slug, walletAddress: this.#key.address })),
      (answer) => {
        const sql = "select 1 from nonces where nonce = ?";
        world.observations.acknowledge("nonce", sql, [answer.nonce], Date.parse(answer.expiresAt));
      },
    );
    const signature = this.#key.signDigest(hashMessage(message));
    const verify = () =>
      request(
        world,
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
  ask<T>(
    name: string,
    work: (backend: SimulatedBackend, familyId: string) => Promise<T>,
    onAnswer?: (answer: T) => void,
  ): Promise<T> {
    const token = this.#token!;
    return request(
      this.#world,
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
}
