import { expect } from "chai";
import {
  type Arcade,
  as,
  DAY_SECONDS,
  keyOf,
  nowSeconds,
  SIGNER_DELAY_SECONDS,
  TOKEN,
  useArcade,
} from "../helpers/arcade.ts";
import type { AnyContract } from "../helpers/contract.ts";
import { expectRevert } from "../helpers/expect.ts";
import { expectGameNftMint, expectGameNftUpgrade, makeGameNftCall, sendGameNft } from "../helpers/game-nft.ts";
import { expectIdentityMint, mintIdentities, sendSponsoredMint } from "../helpers/identity.ts";
import { signMessage } from "../helpers/sign.ts";
import { expectSnapshot } from "../helpers/snapshot.ts";

describe("attacks on identities", () => {
  const arcade = useArcade();

  it("an unasked identity becomes no wallet's primary one and keeps no wallet from registering", async () => {
    const { identity, player, other } = arcade;
    await mintIdentities(arcade, 1, other);
    await as(identity, other).transferFrom(other, player, 1n);
    expect(await identity.balanceOf(player)).to.equal(1n);
    expect((await identity.primary(player)).toArray()).to.deep.equal([0n, 0n]);
    expect(await expectIdentityMint(arcade)).to.equal(2n);
    expect(await identity.primaryIdentity(player)).to.equal(2n);
  });

  it("a former owner mints no game NFT after the sale, and the buyer does", async () => {
    const { identity, nft, player, other } = arcade;
    await mintIdentities(arcade, 1);
    const call = await makeGameNftCall(arcade);
    const before = await signMessage(arcade, arcade.keys.nft, "MintGameNft", { ...call });
    await as(identity, player).transferFrom(player, other, 1n);
    const lateMint = as(nft, player).mintSigned(call.wallet, call.agentId, call.score, call.deadline, before);
    await expectRevert(lateMint, "NotIdentityOwner", player.address, 1n);
    await expectRevert(sendGameNft(arcade, "MintGameNft"), "NotIdentityOwner");
    await expectGameNftMint(arcade, { ...call, wallet: other.address });
  });

  it("one identity that is passed along pays one wallet, not nine", async () => {
    const { identity, rewards, token, operator, connection, time } = arcade;
    const wallets = (await connection.ethers.getSigners()).slice(8, 17);
    await mintIdentities(arcade, 1, wallets[0]!);
    for (const wallet of wallets) await expectSnapshot(arcade, { wallet: wallet.address });
    await time.increase(DAY_SECONDS);
    for (const [index, wallet] of wallets.entries()) {
      const payout = as(rewards, operator).payout(wallet);
      if (index === 0) await payout;
      else await expectRevert(payout, "IdentityTooNew");
      const next = wallets[index + 1];
      if (next === undefined) break;
      await as(identity, wallet).transferFrom(wallet, next, 1n);
      await as(identity, next).setPrimaryIdentity(1n);
    }
    const balances = await Promise.all(wallets.map((wallet) => token.balanceOf(wallet)));
    expect(balances).to.deep.equal([500n * TOKEN, ...Array(8).fill(0n)]);
  });

  it("an identity that is held only inside a call pays nothing", async () => {
    const { identity, rewards, addresses, player, connection, time } = arcade;
    const holder = await connection.ethers.deployContract("FlashHolder", [addresses.rewards]);
    const wallet = await holder.getAddress();
    await mintIdentities(arcade, 1);
    await expectSnapshot(arcade, { wallet });
    await time.increase(DAY_SECONDS);
    const at = (await nowSeconds(arcade)) + 10n;
    await time.setNextBlockTimestamp(at);
    await expectRevert(
      as(identity, player)["safeTransferFrom(address,address,uint256)"](player, wallet, 1n),
      "IdentityTooNew",
      wallet,
      at + DAY_SECONDS,
    );
    expect(await identity.ownerOf(1n)).to.equal(player.address);
    expect(await rewards.getScorebank(wallet)).to.equal(500n);
  });

  it("a life without ether: a sponsor, a relayer and the operator send everything", async () => {
    const { identity, rewards, token, thirdParty, operator, connection, time } = arcade;
    const wallet = keyOf("wallet without ether");
    const { provider } = connection.ethers;
    await sendSponsoredMint(arcade, { to: wallet.address }, { wallet });
    await expectSnapshot(arcade, { wallet: wallet.address }, { sender: thirdParty });
    const call = await makeGameNftCall(arcade, { wallet: wallet.address });
    await expectGameNftMint(arcade, call, { sender: thirdParty });
    await time.increase(DAY_SECONDS);
    await as(rewards, operator).payout(wallet.address);
    expect(await token.balanceOf(wallet.address)).to.equal(500n * TOKEN);
    expect(await identity.primaryIdentity(wallet.address)).to.equal(1n);
    expect(await provider.getBalance(wallet.address)).to.equal(0n);
    expect(await provider.getTransactionCount(wallet.address)).to.equal(0);
  });
});

describe("a stolen game NFT key", () => {
  const arcade = useArcade();
  const MAX_SCORE = 2n ** 32n - 1n;

  const rotate = async ({ keys, admin, guardian }: Arcade, nft: AnyContract) => {
    await as(nft, guardian).revokeSigner(keys.nft.address);
    await as(nft, admin).scheduleSigner(keys.next.address, false);
    await arcade.time.increase(SIGNER_DELAY_SECONDS);
    await as(nft, admin).promoteSigner();
  };

  it("does no damage that revocation, rotation and annulment leave behind", async () => {
    const { nft, player, other, guardian, keys } = arcade;
    await mintIdentities(arcade, 1);
    await mintIdentities(arcade, 1, other);
    await expectGameNftMint(arcade, { score: 500n });

    // The thief lifts a record, mints one for an owner that did not ask, and tries ids that do not exist yet.
    await expectGameNftUpgrade(arcade, { score: MAX_SCORE });
    await expectGameNftMint(arcade, { wallet: other.address, agentId: 2n, score: MAX_SCORE });
    for (const agentId of [0n, 3n, 999n, 2n ** 256n - 1n]) {
      await expectRevert(sendGameNft(arcade, "MintGameNft", { agentId }), "ERC721NonexistentToken");
    }

    const unused = await makeGameNftCall(arcade, { score: MAX_SCORE, deadline: (await nowSeconds(arcade)) + 86_000n });
    await rotate(arcade, nft);
    await as(nft, guardian).annul([1n, 2n]);
    const sent = sendGameNft(arcade, "UpgradeGameNft", { ...unused, deadline: (await nowSeconds(arcade)) + 60n });
    await expectRevert(sent, "InvalidSignature", keys.nft.address);

    // The true scores again, by the new key.
    await expectGameNftUpgrade(arcade, { score: 500n }, { key: keys.next });
    const truth = await makeGameNftCall(arcade, { wallet: other.address, agentId: 2n, score: 120n });
    await expectGameNftUpgrade(arcade, truth, { key: keys.next });
    await mintIdentities(arcade, 1);
    await expectGameNftMint(arcade, { agentId: 3n }, { key: keys.next });
    expect((await nft.recordOf(1n)).score).to.equal(500n);
    expect(await nft.ownerOf(1n)).to.equal(player.address);
  });
});
