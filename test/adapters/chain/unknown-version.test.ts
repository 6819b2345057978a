/** A block has a version of a stored transaction whose bytes the service does not have. */
import { expect } from "chai";
import { type Hex, keccak256, parseTransaction } from "viem";
import { SENDS, testKeys } from "./chain-fixture.ts";
import { operator, useTransactionManager } from "./manager-fixture.ts";

/** More polls than until a transaction counts as lost, and than between two checks of mined ones. */
const POLLS = 12;

describe("a version of a transaction whose bytes are unknown", () => {
  const env = useTransactionManager();

  /** Stores a call, and sends it with a quarter more fees from elsewhere. Returns the bytes of that version. */
  async function sendElsewhere(key: string): Promise<Hex> {
    const writer = env.start();
    env.node.fail("cut", SENDS);
    await writer.submit(env.transfer(key));
    await env.stop(writer);
    env.node.fail(null);
    const { raw } = await env.getRow(key);
    const { to, value, gas, nonce, maxFeePerGas, chainId } = parseTransaction(raw as `0x02${string}`);
    const fees = { maxFeePerGas: (maxFeePerGas! * 5n) / 4n, maxPriorityFeePerGas: 1_000_000_007n };
    const call = { to: to!, value: value!, gas: gas!, nonce: nonce!, chainId, type: "eip1559" as const };
    const serializedTransaction = await operator.signTransaction({ ...call, ...fees });
    await env.chain.client.sendRawTransaction({ serializedTransaction });
    return serializedTransaction;
  }

  for (const [whose, privateKey] of [
    ["the operator", testKeys.operator],
    ["a former operator", testKeys.guardian],
  ] as const)
    it(`is followed by the stored one, sent once, when its block is lost: ${whose}`, async () => {
      const key = whose.replaceAll(" ", "-");
      const before = await env.chain.client.snapshot();
      const other = await sendElsewhere(key);
      const { raw } = await env.getRow(key);
      const writer = env.start({ privateKey, pollMs: 60_000 });
      const pollOften = async (): Promise<void> => {
        for (let polls = 0; polls < POLLS; polls++) await writer.poll();
      };
      await pollOften();
      expect(await env.getRow(key)).to.include({ status: "included", txHash: keccak256(other), raw });
      await env.chain.client.revert({ id: before });
      await env.chain.client.setAutomine(false);
      await env.chain.client.mine({ blocks: 2 });
      const sent: unknown[] = [];
      env.node.before((calls) => {
        sent.push(...calls.flatMap(({ method, params }) => (method === SENDS.of ? [params?.[0]] : [])));
      });
      await pollOften();
      expect(sent).to.deep.equal([raw]);
      expect(await env.getRow(key)).to.include({ status: "sent", txHash: keccak256(raw), block: null });
      await env.chain.client.mine({ blocks: 1 });
      await pollOften();
      expect(await env.getRow(key)).to.include({ status: "included", txHash: keccak256(raw), raw });
      expect(await env.balance()).to.equal(1n);
    });

  it("keeps its hash while the node has it after its block is lost", async () => {
    const before = await env.chain.client.snapshot();
    const other = await sendElsewhere("kept");
    const writer = env.start({ pollMs: 60_000 });
    for (let polls = 0; polls < POLLS; polls++) await writer.poll();
    expect(await env.getRow("kept")).to.include({ status: "included", txHash: keccak256(other) });
    await env.chain.client.revert({ id: before });
    await env.chain.client.setAutomine(false);
    await env.chain.client.sendRawTransaction({ serializedTransaction: other });
    for (let polls = 0; polls < POLLS; polls++) await writer.poll();
    expect(await env.getRow("kept")).to.include({ status: "sent", txHash: keccak256(other), block: null });
  });
});
