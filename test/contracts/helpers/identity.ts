import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { type AnySigner, type Arcade, as, BASE_URI, type By } from "./arcade.ts";
import { expectEvent } from "./expect.ts";
import { signMessage, soon } from "./sign.ts";

export interface IdentityMint {
  readonly to: string;
  readonly metadataDigest: string;
  readonly nonce: bigint;
  readonly deadline: bigint;
}

export const DIGEST = id("registration file");

export const makeIdentityMint = async (arcade: Arcade, changes: Partial<IdentityMint> = {}): Promise<IdentityMint> => ({
  to: arcade.player.address,
  metadataDigest: DIGEST,
  nonce: await arcade.identity.mintNonces(changes.to ?? arcade.player.address),
  deadline: await soon(arcade),
  ...changes,
});

/** Signs and sends without looking at the outcome. */
export async function sendIdentityMint(arcade: Arcade, changes: Partial<IdentityMint> = {}, by: By = {}) {
  const mint = await makeIdentityMint(arcade, changes);
  const signature = await signMessage(arcade, by.key ?? arcade.keys.identity, "MintIdentity", { ...mint });
  const contract = as(arcade.identity, by.sender ?? arcade.player);
  return contract.mintIdentityWithSignature(mint.to, mint.metadataDigest, mint.deadline, signature);
}

/** The message in which a wallet agrees to receive an identity, from its literal text. */
const CONSENT_TO_MINT = ["address to", "bytes32 metadataDigest", "uint256 nonce", "uint256 deadline"].map((field) => {
  const [type, name] = field.split(" ");
  return { type: type!, name: name! };
});

/** The wallet's signature over `ConsentToMint`. */
export const signConsent = (arcade: Arcade, wallet: AnySigner, mint: IdentityMint): Promise<string> =>
  wallet.signTypedData(
    {
      name: "AgentIdentity",
      version: "1",
      chainId: arcade.chainId,
      verifyingContract: arcade.addresses.identity,
    },
    { ConsentToMint: CONSENT_TO_MINT },
    { ...mint },
  );

/** A mint that another account pays for: signed by the service and by the wallet, sent by `thirdParty`. */
export async function sendSponsoredMint(
  arcade: Arcade,
  changes: Partial<IdentityMint>,
  by: By & { readonly wallet: AnySigner },
) {
  const mint = await makeIdentityMint(arcade, changes);
  const signature = await signMessage(arcade, by.key ?? arcade.keys.identity, "MintIdentity", { ...mint });
  const consent = await signConsent(arcade, by.wallet, mint);
  const contract = as(arcade.identity, by.sender ?? arcade.thirdParty);
  return contract.mintIdentityFor(mint.to, mint.metadataDigest, mint.deadline, signature, consent);
}

/** Mints identities to a wallet, without further checks; the ids go on from the highest. */
export async function mintIdentities(arcade: Arcade, count: number, to: AnySigner = arcade.player): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await sendIdentityMint(arcade, { to: to.address }, { sender: to });
  }
}

/** Mints an identity and checks events and stored records together. Returns its id. */
export async function expectIdentityMint(
  arcade: Arcade,
  changes: Partial<IdentityMint> = {},
  by: By = {},
): Promise<bigint> {
  const { identity } = arcade;
  const mint = await makeIdentityMint(arcade, changes);
  const agentId = (await identity.totalSupply()) + 1n;
  const primary = await identity.primaryIdentity(mint.to);
  const tokenURI = `${BASE_URI}${mint.metadataDigest.slice(2)}.json`;
  const sent = await sendIdentityMint(arcade, mint, by);
  await expectEvent(sent, identity, "Registered", agentId, tokenURI, mint.to);
  await expectEvent(sent, identity, "Transfer", ZeroAddress, mint.to, agentId);
  await expectEvent(sent, identity, "MetadataSet", agentId, "agentWallet", "agentWallet", mint.to.toLowerCase());
  expect(await identity.ownerOf(agentId)).to.equal(mint.to);
  expect(await identity.tokenURI(agentId)).to.equal(tokenURI);
  expect(await identity.metadataDigest(agentId)).to.equal(mint.metadataDigest);
  expect(await identity.mintNonces(mint.to)).to.equal(mint.nonce + 1n);
  expect(await identity.primaryIdentity(mint.to)).to.equal(primary === 0n ? agentId : primary);
  expect(await identity.getAgentWallet(agentId)).to.equal(mint.to);
  expect(await identity.totalSupply()).to.equal(agentId);
  return agentId;
}
