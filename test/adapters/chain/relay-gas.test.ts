/** The gas that a relay takes from the limits of its wallet and of the day. */
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Hex, parseTransaction } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { RelayKind, SponsorshipBounds } from "../../../domain/sponsorship.ts";
import { operator, recipient, useTransactionManager } from "./manager-fixture.ts";

/** Counts down from the first argument, so its gas grows with it. */
const COUNTER = "0x601280600b6000396000f36004355b8015601057600190036003565b00";

const BOUNDS: SponsorshipBounds = {
  gasPerDay: 1e9,
  mintGasPerDay: 1e9,
  gasPerIdentity: 1e9,
  gasPerAddress: null,
  mintsPerWallet: 9,
  mintsPerAddress: null,
};

describe("the gas of relays", () => {
  const env = useTransactionManager();

  async function deployCounter(): Promise<Hex> {
    const hash = await env.chain.client.deployContract({ account: operator, chain: null, abi: [], bytecode: COUNTER });
    return (await env.chain.client.waitForTransactionReceipt({ hash })).contractAddress!;
  }

  /** Relays a call that counts down, and returns the gas that it is charged. */
  async function createRelays(kind: RelayKind): Promise<(rounds: number) => Promise<bigint>> {
    const to = await deployCounter();
    const writer = env.start();
    const wallet = recipient;
    return async (rounds) => {
      const relayId = randomUUID();
      const relay = {
        relayId,
        wallet,
        identity: wallet,
        kind,
        ip: "ip",
        day: 1,
        key: relayId,
        createdAtMs: 0,
        bounds: BOUNDS,
      } as const;
      const data = `0x12345678${rounds.toString(16).padStart(64, "0")}` as const;
      const before = await env.store.relays.readUsage(relay);
      const { id } = await writer.submit({ kind: "relay", key: relayId, to, data, relay });
      const { gas } = parseTransaction((await env.store.transactions.find(id))!.raw as `0x02${string}`);
      const after = await env.store.relays.readUsage(relay);
      expect(after.gas - before.gas, "what is charged").to.equal(Number(gas));
      return gas!;
    };
  }

  for (const kind of ["snapshot", "snapshot_batch", "nft"] as const)
    it(`is what this ${kind} needs, however much another one needed`, async () => {
      const relay = await createRelays(kind);
      const own = await relay(1);
      expect(await relay(10_000)).to.be.above(400_000n);
      expect(await relay(1)).to.equal(own);
    });

  it("is what this identity mint needs, whatever code another wallet has", async () => {
    const relay = await createRelays("identity");
    const own = await relay(1);
    expect(await relay(10_000)).to.be.above(400_000n);
    expect(await relay(1)).to.equal(own);
    const outcome = await relay(50_000).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(ArcadeError);
  });
});
