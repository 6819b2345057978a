import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { network } from "hardhat";
import {
  type Arcade,
  as,
  type Connection,
  DAY_SECONDS,
  deployArcade,
  deployContract,
  keyOf,
  nowSeconds,
  SIGNER_DELAY_SECONDS,
  TOKEN,
  useArcade,
} from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { expectRevert } from "./helpers/expect.ts";
import { expectGameNftMint } from "./helpers/game-nft.ts";
import { DIGEST, expectIdentityMint, makeIdentityMint } from "./helpers/identity.ts";
import { signMessage, soon } from "./helpers/sign.ts";
import { expectSnapshot, sendSnapshot } from "./helpers/snapshot.ts";

const deployWallet = (connection: Connection, holder: string) => deployContract(connection, "SmartWallet", [holder]);

describe("contract signers (ERC-1271)", () => {
  const arcade = useArcade();

  it("sign for a contract that was deployed with one", async () => {
    const connection = await network.create();
    const holder = keyOf("safe owner");
    const safe = await deployWallet(connection, holder.address);
    const arcade = await deployArcade(connection, { signer: { address: await safe.getAddress(), isContract: true } });
    await expectIdentityMint(arcade, {}, { key: holder });
    await expectGameNftMint(arcade, {}, { key: holder });
    await expectSnapshot(arcade, {}, { key: holder });
    await expectRevert(sendSnapshot(arcade, { sequence: 2n }, { key: keyOf("thief") }), "InvalidSignature");
    await connection.close();
  });

  it("take over from a key, and give back to one", async () => {
    const { rewards, admin, keys, connection, time } = arcade;
    const holder = keyOf("safe owner");
    const safe = await (await deployWallet(connection, holder.address)).getAddress();
    await as(rewards, admin).scheduleSigner(safe, true);
    await time.increase(SIGNER_DELAY_SECONDS);
    await expectSnapshot(arcade, { sequence: 1n }, { key: holder });
    await as(rewards, admin).promoteSigner();
    expect((await rewards.signer()).toArray()).to.deep.equal([safe, true]);
    await expectSnapshot(arcade, { sequence: 2n }, { key: holder });
    await expectSnapshot(arcade, { sequence: 3n }, { key: keys.score });
    await as(rewards, admin).revokeSigner(safe);
    await expectRevert(sendSnapshot(arcade, { sequence: 4n }, { key: holder }), "InvalidSignature");
    await expectSnapshot(arcade, { sequence: 5n }, { key: keys.score });
  });

  it("are asked only where the signer is flagged as a contract, and an account without code never agrees", async () => {
    const { rewards, identity, admin, guardian, keys, connection, time } = arcade;
    const holder = keyOf("safe owner");
    const safe = await (await deployWallet(connection, holder.address)).getAddress();
    await as(rewards, admin).scheduleSigner(safe, false);
    await as(identity, admin).scheduleSigner(keys.next.address, true);
    await time.increase(SIGNER_DELAY_SECONDS);
    await expectRevert(sendSnapshot(arcade, {}, { key: holder }), "InvalidSignature");
    const mint = await makeIdentityMint(arcade);
    const signature = await signMessage(arcade, keys.next, "MintIdentity", { ...mint });
    await expectRevert(
      as(identity, arcade.player).mintIdentityWithSignature(mint.to, mint.metadataDigest, mint.deadline, signature),
      "InvalidSignature",
    );
    expect(await rewards.hasRole(await rewards.GUARDIAN_ROLE(), guardian)).to.equal(true);
  });
});

describe("contract wallets as players", () => {
  const arcade = useArcade();

  it("mint, snapshot and are paid without knowing how to receive tokens", async () => {
    const { identity, rewards, nft, token, player, connection, time } = arcade;
    const wallet = await deployWallet(connection, player.address);
    const address = await wallet.getAddress();
    const send = (target: AnyContract, method: string, args: unknown[]) =>
      as(wallet, player).execute(target, target.interface.encodeFunctionData(method, args));
    const mint = await makeIdentityMint(arcade, { to: address });
    const signature = await signMessage(arcade, arcade.keys.identity, "MintIdentity", { ...mint });
    await send(identity, "mintIdentityWithSignature", [address, DIGEST, mint.deadline, signature]);
    expect(await identity.ownerOf(1n)).to.equal(address);
    await expectGameNftMint(arcade, { wallet: address, agentId: 1n });
    await expectSnapshot(arcade, { wallet: address });
    await time.increase(DAY_SECONDS);
    await send(rewards, "payout", [address]);
    expect(await token.balanceOf(address)).to.equal(500n * TOKEN);
    expect(await nft.balanceOf(address)).to.equal(1n);
  });

  it("act for an agent by ERC-1271", async () => {
    const { identity, player, connection } = arcade;
    await expectIdentityMint(arcade);
    const holder = keyOf("wallet owner");
    const newWallet = await (await deployWallet(connection, holder.address)).getAddress();
    const message = { agentId: 1n, newWallet, owner: player.address, deadline: (await nowSeconds(arcade)) + 200n };
    const signature = await signMessage(arcade, holder, "AgentWalletSet", message);
    await as(identity, player).setAgentWallet(1n, newWallet, message.deadline, signature);
    expect(await identity.getAgentWallet(1n)).to.equal(newWallet);
  });
});

describe("delegated wallets (EIP-7702) as players", () => {
  const arcade = useArcade();

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
    const { identity, rewards, token, time } = arcade;
    const key = await delegate(arcade);
    await expectIdentityMint(arcade, { to: key.address }, { sender: key });
    await expectGameNftMint(arcade, { wallet: key.address, agentId: 1n });
    await expectSnapshot(arcade, { wallet: key.address }, { sender: key });
    await time.increase(DAY_SECONDS);
    await as(rewards, key).payout(key.address);
    expect(await token.balanceOf(key.address)).to.equal(500n * TOKEN);
    expect(await identity.primaryIdentity(key.address)).to.equal(1n);
  });

  it("sign for an agent as the key they are", async () => {
    const { identity, player } = arcade;
    const key = await delegate(arcade);
    await expectIdentityMint(arcade);
    const message = { agentId: 1n, newWallet: key.address, owner: player.address, deadline: await soon(arcade) };
    const signature = await signMessage(arcade, key, "AgentWalletSet", message);
    await as(identity, player).setAgentWallet(1n, key.address, message.deadline, signature);
    expect(await identity.getAgentWallet(1n)).to.equal(key.address);
  });

  it("sign for the service as the key they are", async () => {
    const { rewards, admin, time } = arcade;
    const key = await delegate(arcade);
    await as(rewards, admin).scheduleSigner(key.address, false);
    await time.increase(SIGNER_DELAY_SECONDS);
    await expectSnapshot(arcade, {}, { key });
  });
});
