import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import { network } from "hardhat";
import { type Hex, keccak256, numberToHex } from "viem";
import { startAnvil } from "../deploy/testnet.ts";
import type { Journey } from "./helpers/journey.ts";
import { writeLife } from "./helpers/life.ts";

type Request = (method: string, params: readonly unknown[]) => Promise<unknown>;

const CHAIN_ID = 31_337;
const BALANCE = numberToHex(10n ** 21n);

/** What a node makes of a question: its answer, or the data it reverts with. */
async function answerOf(request: Request, question: Journey["questions"][number]): Promise<string> {
  const { name: _, ...call } = question;
  try {
    return `answers ${await request("eth_call", [call, "latest"])}`;
  } catch (error) {
    // Nodes differ in where they put the data of a revert, and libraries in how deep they wrap it.
    for (let cause = error; cause !== undefined; cause = (cause as Error).cause) {
      const { data } = cause as { data?: string | { data?: string } };
      const found = typeof data === "object" ? data.data : data;
      if (found !== undefined) return `reverts ${found}`;
    }
    throw error;
  }
}

interface Receipt {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly contractAddress?: Hex | null;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** Anvil answers a transaction before it has mined it. */
async function receiptOf(request: Request, txHash: Hex): Promise<Receipt> {
  for (let look = 1; look <= 1_000; look++) {
    const receipt = (await request("eth_getTransactionReceipt", [txHash])) as Receipt | null;
    if (receipt !== null) return receipt;
    await wait(5);
  }
  throw new Error(`no block took ${txHash}`);
}

/** Lives the journey on one node and tells all that the chain keeps of it. */
async function live(request: Request, setBalance: string, { actors, addresses, ...journey }: Journey) {
  for (const { address } of Object.values(actors)) await request(setBalance, [address, BALANCE]);
  const receipts: unknown[] = [];
  for (const { name, at, raw, succeeds } of journey.transactions) {
    await request("evm_setNextBlockTimestamp", [Number(at)]);
    // A node may answer a reverted transaction with an error although it has mined it.
    await request("eth_sendRawTransaction", [raw]).catch((error) => {
      if (succeeds) throw new Error(`${name} was refused`, { cause: error });
    });
    const { status, gasUsed, contractAddress, logs } = await receiptOf(request, keccak256(raw));
    expect(status, name).to.equal(succeeds ? "0x1" : "0x0");
    receipts.push({
      name,
      status,
      gasUsed: Number(gasUsed),
      contractAddress: contractAddress ?? null,
      logs: logs.map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data })),
    });
  }
  const answers: string[] = [];
  for (const question of journey.questions) answers.push(`${question.name} ${await answerOf(request, question)}`);
  const codes: Hex[] = [];
  for (const address of Object.values(addresses)) {
    codes.push(keccak256((await request("eth_getCode", [address, "latest"])) as Hex));
  }
  return { receipts, answers, codes };
}

for (const hardfork of ["cancun", "osaka"]) {
  describe(`two nodes, the same bytes (${hardfork})`, function () {
    this.timeout(60_000);

    it("mine the same gas, logs and reverts from deployment to hand-over", async () => {
      const journey = await writeLife(CHAIN_ID);
      const connection = await network.create({ override: { chainId: CHAIN_ID, hardfork } });
      const anvil = await startAnvil({ chainId: CHAIN_ID, createX: false, hardfork });
      try {
        const onEdr = await live(
          (method, params) => connection.provider.request({ method, params: [...params] }),
          "hardhat_setBalance",
          journey,
        );
        const onAnvil = await live(
          (method, params) => anvil.client.request({ method, params } as never),
          "anvil_setBalance",
          journey,
        );
        expect(onEdr.receipts).to.have.length.greaterThan(40);
        expect(onAnvil.receipts).to.deep.equal(onEdr.receipts);
        expect(onAnvil.answers).to.deep.equal(onEdr.answers);
        expect(onAnvil.codes).to.deep.equal(onEdr.codes);
        const reverts = onEdr.answers.filter((answer) => / reverts 0x[0-9a-f]{8}/.test(answer));
        expect(reverts).to.have.length.greaterThan(8);
      } finally {
        await anvil.close();
        await connection.close();
      }
    });
  });
}
