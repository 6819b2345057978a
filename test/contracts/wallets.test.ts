import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { network } from "hardhat";
import {
  type Arcade,
  as,
  DAY_SECONDS,
  deployArcade,
  keyOf,
  nowSeconds,
  SIGNER_DELAY_SECONDS,
  TOKEN,
  useArcade,
} from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { expectGameNftMint, makeGameNftCall } from "./helpers/game-nft.ts";
import { DIGEST, expectIdentityMint, makeIdentityMint } from "./helpers/identity.ts";
import { signMessage, soon } from "./helpers/sign.ts";
import { expectSnapshot, makeSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

type Connection = Arcade["connection"];

const deployWallet = async (connection: Connection, holder: string): Promise<AnyContract> =>
  (await connection.ethers.deployContract("SmartWallet", [holder])) as unknown as AnyContract;

describe("contract signers (ERC-1271)", () => {
  const arcadeOf = useArcade();

  it("sign for a contract that was deployed with one", async () => {
    const connection = await network.create();
    const holder = keyOf("safe owner");
    const safe = await deployWallet(connection, holder.address);
    const arcade = await deployArcade(connection, { signer: { address: await safe.getAddress(), isContract: true } });
    await expectIdentityMint(arcade, await makeIdentityMint(arcade), { key: holder });
    await expectGameNftMint(arcade, await makeGameNftCall(arcade), { key: holder });
    await expectSnapshot(arcade, await makeSnapshot(arcade), { key: holder });
    await expect(
      sendSnapshot(arcade, await makeSnapshot(arcade, { sequence: 2n }), { key: keyOf("thief") }),
    ).to.be.revertedWithCustomError(arcade.rewards, "InvalidSignature");
    await connection.close();
  });

  it("take over from a key, and give back to one", async () => {
    const arcade = arcadeOf();
    const { rewards, admin, keys, connection } = arcade;
    const holder = keyOf("safe owner");
    const safe = await (await deployWallet(connection, holder.address)).getAddress();
    await as(rewards, admin).scheduleSigner(safe, true);
    await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 1n }), { key: holder });
    await as(rewards, admin).promoteSigner();
    expect((await rewards.signer()).toArray()).to.deep.equal([safe, true]);
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 2n }), { key: holder });
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 3n }), { key: keys.score });
    await as(rewards, admin).revokeSigner(safe);
    await expect(
      sendSnapshot(arcade, await makeSnapshot(arcade, { sequence: 4n }), { key: holder }),
    ).to.be.revertedWithCustomError(rewards, "InvalidSignature");
    await expectSnapshot(arcade, await makeSnapshot(arcade, { sequence: 5n }), { key: keys.score });
  });

  it("are asked only where the signer is flagged as a contract, and an account without code never agrees", async () => {
    const arcade = arcadeOf();
    const { rewards, identity, admin, guardian, keys, connection } = arcade;
    const holder = keyOf("safe owner");
    const safe = await (await deployWallet(connection, holder.address)).getAddress();
    await as(rewards, admin).scheduleSigner(safe, false);
    await as(identity, admin).scheduleSigner(keys.next.address, true);
    await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
    await expect(sendSnapshot(arcade, await makeSnapshot(arcade), { key: holder })).to.be.revertedWithCustomError(
      rewards,
      "InvalidSignature",
    );
    const mint = await makeIdentityMint(arcade);
    const signature = await signMessage(arcade, keys.next, "MintIdentity", { ...mint });
    await expect(
      as(identity, arcade.player).mintIdentityWithSignature(mint.to, mint.metadataDigest, mint.deadline, signature),
    ).to.be.revertedWithCustomError(identity, "InvalidSignature");
    expect(await rewards.hasRole(await rewards.GUARDIAN_ROLE(), guardian)).to.equal(true);
  });
});

describe("contract wallets as players", () => {
  const arcadeOf = useArcade();

  it("mint, snapshot and are paid without knowing how to receive tokens", async () => {
    const arcade = arcadeOf();
    const { identity, rewards, nft, token, player, connection } = arcade;
    const wallet = await deployWallet(connection, player.address);
    const address = await wallet.getAddress();
    const send = (target: AnyContract, method: string, args: unknown[]) =>
      as(wallet, player).execute(target, target.interface.encodeFunctionData(method, args));
    const mint = await makeIdentityMint(arcade, { to: address });
    const signature = await signMessage(arcade, arcade.keys.identity, "MintIdentity", { ...mint });
    await send(identity, "mintIdentityWithSignature", [address, DIGEST, mint.deadline, signature]);
    expect(await identity.ownerOf(1n)).to.equal(address);
    await expectGameNftMint(arcade, await makeGameNftCall(arcade, { wallet: address, agentId: 1n }));
    await expectSnapshot(arcade, await makeSnapshot(arcade, { wallet: address }));
    await connection.networkHelpers.time.increase(DAY_SECONDS);
    await send(rewards, "payout", [address]);
    expect(await token.balanceOf(address)).to.equal(500n * TOKEN);
    expect(await nft.balanceOf(address)).to.equal(1n);
  });

  it("act for an agent by ERC-1271", async () => {
    const arcade = arcadeOf();
    const { identity, player, connection } = arcade;
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    const holder = keyOf("wallet owner");
    const newWallet = await (await deployWallet(connection, holder.address)).getAddress();
    const message = { agentId: 1n, newWallet, owner: player.address, deadline: (await nowSeconds(arcade)) + 200n };
    const signature = await signMessage(arcade, holder, "AgentWalletSet", message);
    await as(identity, player).setAgentWallet(1n, newWallet, message.deadline, signature);
    expect(await identity.getAgentWallet(1n)).to.equal(newWallet);
  });
});

describe("delegated wallets (EIP-7702) as players", () => {
  const arcadeOf = useArcade();

  /** A funded key whose account runs the wallet's code. */
  async function delegate(arcade: Arcade) {
    const { connection, thirdParty } = arcade;
    const key = keyOf("delegated").connect(connection.ethers.provider as never);
    await thirdParty.sendTransaction({ to: key.address, value: 10n ** 18n });
    const code = await (await deployWallet(connection, ZeroAddress)).getAddress();
    const authorization = await key.authorize({ address: code, nonce: 1n, chainId: arcade.chainId });
    await (await key.sendTransaction({ type: 4, to: key.address, authorizationList: [authorization] })).wait();
    expect(await connection.ethers.provider.getCode(key.address)).to.equal(`0xef0100${code.slice(2).toLowerCase()}`);
    return key;
  }

  it("live the whole life of a player", async () => {
    const arcade = arcadeOf();
    const { identity, rewards, token, connection } = arcade;
    const key = await delegate(arcade);
    await expectIdentityMint(arcade, await makeIdentityMint(arcade, { to: key.address }), { sender: key });
    await expectGameNftMint(arcade, await makeGameNftCall(arcade, { wallet: key.address, agentId: 1n }));
    await expectSnapshot(arcade, await makeSnapshot(arcade, { wallet: key.address }), { sender: key });
    await connection.networkHelpers.time.increase(DAY_SECONDS);
    await as(rewards, key).payout(key.address);
    expect(await token.balanceOf(key.address)).to.equal(500n * TOKEN);
    expect(await identity.primaryIdentity(key.address)).to.equal(1n);
  });

  it("sign for an agent as the key they are", async () => {
    const arcade = arcadeOf();
    const { identity, player } = arcade;
    const key = await delegate(arcade);
    await expectIdentityMint(arcade, await makeIdentityMint(arcade));
    const message = { agentId: 1n, newWallet: key.address, owner: player.address, deadline: await soon(arcade) };
    const signature = await signMessage(arcade, key, "AgentWalletSet", message);
    await as(identity, player).setAgentWallet(1n, key.address, message.deadline, signature);
    expect(await identity.getAgentWallet(1n)).to.equal(key.address);
  });

  it("sign for the service as the key they are", async () => {
    const arcade = arcadeOf();
    const { rewards, admin, connection } = arcade;
    const key = await delegate(arcade);
    await as(rewards, admin).scheduleSigner(key.address, false);
    await connection.networkHelpers.time.increase(SIGNER_DELAY_SECONDS);
    await expectSnapshot(arcade, await makeSnapshot(arcade), { key });
  });
});
