import { expect } from "chai";
import { network } from "hardhat";
import { type Abi, decodeEventLog, getAddress, type Hex, parseEventLogs, type TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { toGameId } from "../../domain/replay/replay.ts";
import { createTypedData, type PrimaryType } from "../../domain/typed-data/messages.ts";
import { type Connection, DAY_SECONDS, deployArcade, keyOf, SLUG, TOKEN } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { hashOf } from "./helpers/snapshot.ts";

const TTL_SECONDS = 300n;

/** The whole life of a wallet, written with viem only: what agents' authors will do. */
describe("with viem", () => {
  const abiOf = (contract: AnyContract): Abi => JSON.parse(contract.interface.formatJson()) as Abi;

  async function open(connection: Connection) {
    const arcade = await deployArcade(connection);
    const publicClient = await connection.viem.getPublicClient();
    const wallet = (await connection.viem.getWalletClients())[5]!;
    const contracts = {
      identity: { address: arcade.addresses.identity as Hex, abi: abiOf(arcade.identity) },
      nft: { address: arcade.addresses.nft as Hex, abi: abiOf(arcade.nft) },
      rewards: { address: arcade.addresses.rewards as Hex, abi: abiOf(arcade.rewards) },
      token: { address: arcade.addresses.token as Hex, abi: abiOf(arcade.token) },
    };
    const sign = (key: string, primaryType: PrimaryType, verifyingContract: Hex, message: object) =>
      privateKeyToAccount(keyOf(key).privateKey as Hex).signTypedData(
        createTypedData(
          primaryType,
          { chainId: arcade.chainId, verifyingContract, slug: SLUG },
          { ...message },
        ) as unknown as TypedDataDefinition,
      );
    const send = async (contract: { address: Hex; abi: Abi }, functionName: string, args: readonly unknown[]) => {
      const { request } = await publicClient.simulateContract({
        ...contract,
        functionName,
        args,
        account: wallet.account,
      });
      return publicClient.waitForTransactionReceipt({ hash: await wallet.writeContract(request) });
    };
    const read = (contract: { address: Hex; abi: Abi }, functionName: string, args: readonly unknown[] = []) =>
      publicClient.readContract({ ...contract, functionName, args });
    const deadline = async () => (await publicClient.getBlock()).timestamp + TTL_SECONDS;
    return { contracts, player: getAddress(wallet.account.address), sign, send, read, deadline };
  }

  it("registers, mints, upgrades, snapshots and is paid", async () => {
    const connection = await network.create();
    const { contracts, player, sign, send, read, deadline } = await open(connection);
    const { identity, nft, rewards, token } = contracts;

    const mint = { to: player, metadataDigest: `0x${"ab".repeat(32)}` as Hex, nonce: 0n, deadline: await deadline() };
    const minted = await send(identity, "mintIdentityWithSignature", [
      player,
      mint.metadataDigest,
      mint.deadline,
      await sign("identity", "MintIdentity", identity.address, mint),
    ]);
    const [registered] = parseEventLogs({ abi: identity.abi, logs: minted.logs, eventName: "Registered" });
    expect(registered?.args).to.deep.include({ agentId: 1n, owner: player });
    expect(await read(identity, "primaryIdentity", [player])).to.equal(1n);

    for (const [kind, method, score] of [
      ["MintGameNft", "mintSigned", 150n],
      ["UpgradeGameNft", "upgradeSigned", 600n],
    ] as const) {
      const call = { wallet: player, agentId: 1n, score, deadline: await deadline() };
      await send(nft, method, [player, 1n, score, call.deadline, await sign("nft", kind, nft.address, call)]);
      expect(await read(nft, "recordOf", [1n])).to.deep.include({ score, tier: score === 150n ? 1 : 2 });
    }

    const snapshot = {
      wallet: player,
      gameId: toGameId(SLUG),
      score: 500n,
      gameSessionHash: hashOf(1n),
      deadline: await deadline(),
    };
    const signature = await sign("score", "Snapshot", rewards.address, snapshot);
    const args = [player, snapshot.gameId, 500n, snapshot.gameSessionHash, snapshot.deadline, signature];
    await send(rewards, "snapshotScoreSigned", args);
    const fault = await send(rewards, "snapshotScoreSigned", args).catch((error: Error) => error);
    expect(String(fault)).to.contain("SessionAlreadyConsumed");

    const item = { gameSessionHash: hashOf(2n), gameId: toGameId(SLUG), score: 7n };
    const batch = { wallet: player, items: [item], deadline: await deadline() };
    const forBatch = await sign("score", "SnapshotBatch", rewards.address, batch);
    await send(rewards, "snapshotScoresSigned", [player, [item], batch.deadline, forBatch]);
    expect(await read(rewards, "getScorebank", [player])).to.equal(507n);

    await connection.networkHelpers.time.increase(DAY_SECONDS);
    expect(await read(rewards, "readiness", [player])).to.deep.equal([true, 0n, 0n, 507n * TOKEN]);
    const paid = await send(rewards, "payout", [player]);
    const log = paid.logs.find(({ address }) => address.toLowerCase() === rewards.address.toLowerCase())!;
    const event = decodeEventLog({ abi: rewards.abi, data: log.data, topics: log.topics });
    expect(event.eventName).to.equal("Payout");
    expect(event.args).to.deep.include({ wallet: player, score: 507n, amount: 507n * TOKEN });
    expect(await read(token, "balanceOf", [player])).to.equal(507n * TOKEN);
    expect(await read(rewards, "getScorebank", [player])).to.equal(0n);
    await connection.close();
  });
});
