import { expect } from "chai";
import { id, TypedDataEncoder } from "ethers";
import { hashTypedData, type TypedDataDefinition } from "viem";
import {
  createTypedData,
  DOMAIN_NAMES,
  encodeMessageType,
  type PrimaryType,
  TYPED_MESSAGES,
} from "../../domain/typed-data/messages.ts";
import { GAME_ID, keyOf, SLUG, useArcade } from "./helpers/arcade.ts";
import { addressFor } from "./helpers/sign.ts";
import { hashOf } from "./helpers/snapshot.ts";

const wallet = keyOf("typed data").address;

/** The texts as people read them, apart from table and Solidity. */
const LITERALS: { readonly [name: string]: string } = {
  MintIdentity: "MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)",
  ConsentToMint: "ConsentToMint(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)",
  AgentWalletSet: "AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)",
  MintGameNft: "MintGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)",
  UpgradeGameNft: "UpgradeGameNft(address wallet,uint256 agentId,uint256 score,uint256 deadline)",
  Snapshot: "Snapshot(address wallet,bytes32 gameId,uint256 score,bytes32 gameSessionHash,uint256 deadline)",
  SnapshotBatch:
    "SnapshotBatch(address wallet,Item[] items,uint256 deadline)Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)",
};

const item = { gameSessionHash: hashOf(1n), gameId: GAME_ID, score: 5n };
const MESSAGES: { readonly [name: string]: { readonly [field: string]: unknown } } = {
  MintIdentity: { to: wallet, metadataDigest: id("digest"), nonce: 3n, deadline: 4n },
  ConsentToMint: { to: wallet, metadataDigest: id("digest"), nonce: 3n, deadline: 4n },
  AgentWalletSet: { agentId: 1n, newWallet: wallet, owner: wallet, deadline: 4n },
  MintGameNft: { wallet, agentId: 1n, score: 2n, deadline: 4n },
  UpgradeGameNft: { wallet, agentId: 1n, score: 2n, deadline: 4n },
  Snapshot: { wallet, gameId: GAME_ID, score: 5n, gameSessionHash: hashOf(1n), deadline: 4n },
  SnapshotBatch: { wallet, items: [item, item], deadline: 4n },
};

const onChain = Object.entries(TYPED_MESSAGES).filter(([, { typeHashView }]) => typeHashView !== null);

describe("typed data", () => {
  const arcade = useArcade();

  it("has a literal and an example for every message that a contract checks", () => {
    const names = onChain.map(([name]) => name);
    expect(Object.keys(LITERALS)).to.include.members(names);
    expect(Object.keys(MESSAGES)).to.include.members(names);
  });

  it("has the consent of a wallet under the hash of its text", async () => {
    expect(await arcade.identity.CONSENT_TO_MINT_TYPEHASH()).to.equal(id(LITERALS.ConsentToMint!));
  });

  for (const [name, { domain, typeHashView }] of onChain) {
    const primaryType = name as PrimaryType;

    it(`${name}: table, literal and contract agree on type and domain`, async () => {
      const contract = {
        identity: arcade.identity,
        gameNft: arcade.nft,
        rewards: arcade.rewards,
        voting: arcade.token,
        replay: arcade.token,
      }[domain];
      expect(encodeMessageType(primaryType)).to.equal(LITERALS[name]);
      expect(await contract[typeHashView!]()).to.equal(id(LITERALS[name]!));
      const answer = await contract.eip712Domain();
      expect([
        answer.fields,
        answer.name,
        answer.version,
        answer.chainId,
        answer.verifyingContract,
        answer.salt,
      ]).to.deep.equal([
        "0x0f",
        DOMAIN_NAMES[domain](SLUG),
        "1",
        BigInt(arcade.chainId),
        addressFor(arcade, primaryType),
        `0x${"0".repeat(64)}`,
      ]);
      expect(answer.extensions).to.deep.equal([]);
      expect(Buffer.byteLength(answer.name)).to.be.at.most(31);
    });

    it(`${name}: viem and ethers make the same digest`, () => {
      const place = { chainId: arcade.chainId, verifyingContract: addressFor(arcade, primaryType), slug: SLUG };
      const payload = createTypedData(primaryType, place, MESSAGES[name]!);
      const { EIP712Domain: _, ...types } = payload.types;
      const byEthers = TypedDataEncoder.hash(
        payload.domain,
        types as unknown as Parameters<typeof TypedDataEncoder.hash>[1],
        payload.message,
      );
      expect(hashTypedData(payload as unknown as TypedDataDefinition)).to.equal(byEthers);
    });
  }

  it("has a type hash for the items of a batch", async () => {
    expect(await arcade.rewards.ITEM_TYPEHASH()).to.equal(
      id("Item(bytes32 gameSessionHash,bytes32 gameId,uint256 score)"),
    );
  });
});
