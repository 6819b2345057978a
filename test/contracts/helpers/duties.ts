import type { Arcade } from "./arcade.ts";
import type { AnyContract } from "./contract.ts";
import { expectGameNftMint, makeGameNftCall, sendGameNft } from "./game-nft.ts";
import { expectIdentityMint, makeIdentityMint, mintIdentities, sendIdentityMint } from "./identity.ts";
import { expectSnapshot, hashOf, makeSnapshot, sendSnapshot } from "./snapshot.ts";

/** What one contract takes signed calls for, and the key that signs them. */
interface Duty {
  readonly name: string;
  readonly contractOf: (arcade: Arcade) => AnyContract;
  readonly keyOf: (arcade: Arcade) => Arcade["keys"]["score"];
  /** Puts on the chain what the duty's calls need. */
  readonly prepare: (arcade: Arcade) => Promise<unknown>;
  /** Sends the duty's signed call, the n-th of the test, and checks what it did. */
  readonly expectCall: (arcade: Arcade, n: bigint, key: Arcade["keys"]["score"]) => Promise<unknown>;
  readonly send: (arcade: Arcade, n: bigint, key: Arcade["keys"]["score"]) => Promise<unknown>;
}

/** The three contracts that take signed calls. */
export const DUTIES: readonly Duty[] = [
  {
    name: "AgentIdentity",
    contractOf: ({ identity }) => identity,
    keyOf: ({ keys }) => keys.identity,
    prepare: async () => {},
    expectCall: async (arcade, _n, key) => expectIdentityMint(arcade, await makeIdentityMint(arcade), { key }),
    send: async (arcade, _n, key) => sendIdentityMint(arcade, await makeIdentityMint(arcade), { key }),
  },
  {
    name: "GameNFT",
    contractOf: ({ nft }) => nft,
    keyOf: ({ keys }) => keys.nft,
    prepare: (arcade) => mintIdentities(arcade, 8),
    expectCall: async (arcade, n, key) =>
      expectGameNftMint(arcade, await makeGameNftCall(arcade, { agentId: n }), { key }),
    send: async (arcade, n, key) =>
      sendGameNft(arcade, "MintGameNft", await makeGameNftCall(arcade, { agentId: n }), { key }),
  },
  {
    name: "RewardsV2",
    contractOf: ({ rewards }) => rewards,
    keyOf: ({ keys }) => keys.score,
    prepare: async () => {},
    expectCall: async (arcade, n, key) =>
      expectSnapshot(arcade, await makeSnapshot(arcade, { gameSessionHash: hashOf(n) }), { key }),
    send: async (arcade, n, key) =>
      sendSnapshot(arcade, await makeSnapshot(arcade, { gameSessionHash: hashOf(n) }), { key }),
  },
];
