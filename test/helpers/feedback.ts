/** Feedback in a Reputation registry of a local chain. */
import type { Address } from "viem";
import { REPUTATION_ABI } from "../../domain/feedback.ts";
import type { createChainClient } from "../adapters/chain/chain-fixture.ts";

const WAIT_MS = 60_000;
const POLL_MS = 50;

/** Mines blocks until this many scores were published. Throws after a minute. */
export async function waitForFeedback(client: ReturnType<typeof createChainClient>, registry: Address, count: number) {
  const filter = { address: registry, abi: REPUTATION_ABI, eventName: "NewFeedback", strict: true } as const;
  const endMs = performance.now() + WAIT_MS;
  for (;;) {
    const events = await client.getContractEvents({ ...filter, fromBlock: 0n });
    if (events.length >= count) return events.map(({ args }) => args);
    if (performance.now() > endMs) throw new Error(`${events.length} of ${count} scores were published`);
    await client.mine({ blocks: 1 });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
