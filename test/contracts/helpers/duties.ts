import type { Arcade } from "./arcade.ts";
import type { AnyContract } from "./contract.ts";
import { expectGameNftMint, sendGameNft } from "./game-nft.ts";
import { expectIdentityMint, mintIdentities, sendIdentityMint } from "./identity.ts";
import { expectSnapshot, sendSnapshot } from "./snapshot.ts";

type Key = Arcade["keys"]["score"];
type Times = { readonly deadline?: bigint };

/** What one contract takes signed calls for, and the key that signs them. */
interface Duty {
  readonly name: string;
  readonly contractOf: (arcade: Arcade) => AnyContract;
  readonly keyOf: (arcade: Arcade) => Key;
  /** Puts on the chain what the duty's calls need. */
  readonly prepare: (arcade: Arcade) => Promise<unknown>;
  /** Sends the duty's signed call, the n-th of the test, and checks what it did. */
  readonly expectCall: (arcade: Arcade, n: bigint, key: Key, times?: Times) => Promise<unknown>;
  readonly send: (arcade: Arcade, n: bigint, key: Key, times?: Times) => Promise<unknown>;
}

/** The three contracts that take signed calls. */
export const DUTIES: readonly Duty[] = [
  {
    name: "AgentIdentity",
    contractOf: ({ identity }) => identity,
    keyOf: ({ keys }) => keys.identity,
    prepare: async () => {},
    expectCall: (arcade, _n, key, times) => expectIdentityMint(arcade, times, { key }),
    send: (arcade, _n, key, times) => sendIdentityMint(arcade, times, { key }),
  },
  {
    name: "GameNFT",
    contractOf: ({ nft }) => nft,
    keyOf: ({ keys }) => keys.nft,
    prepare: (arcade) => mintIdentities(arcade, 8),
    expectCall: (arcade, agentId, key, times) => expectGameNftMint(arcade, { agentId, ...times }, { key }),
    send: (arcade, agentId, key, times) => sendGameNft(arcade, "MintGameNft", { agentId, ...times }, { key }),
  },
  {
    name: "RewardsV2",
    contractOf: ({ rewards }) => rewards,
    keyOf: ({ keys }) => keys.score,
    prepare: async () => {},
    expectCall: (arcade, sequence, key, times) => expectSnapshot(arcade, { sequence, ...times }, { key }),
    send: (arcade, sequence, key, times) => sendSnapshot(arcade, { sequence, ...times }, { key }),
  },
];
