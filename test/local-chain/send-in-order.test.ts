/** Transactions that programs send in parallel, as viem's nonce manager and `forge script --broadcast` do. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Hex, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";

const account = privateKeyToAccount(developmentAccount(0).privateKey);

describe("transactions sent in parallel to the local chain", () => {
  let folder: string;
  let chain: LocalChain;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-in-order-"));
    chain = await startLocalChain({ dataDir: folder, port: 0, whenBusy: "fail", accounts: [developmentAccount(0)] });
  });
  after(async () => {
    await chain.close();
    await rm(folder, { recursive: true });
  });

  const countSent = async () => Number(await chain.request("eth_getTransactionCount", [account.address, "latest"]));
  const sign = (nonce: number) => {
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    return account.signTransaction({ chainId: 31_337, type: "eip1559", to: account.address, nonce, ...fees });
  };

  it("each gets a block, in any order of arrival", async () => {
    const first = await countSent();
    const raw = await Promise.all(Array.from({ length: 40 }, (_, index) => sign(first + index)));
    const hashes = await Promise.all(raw.reverse().map((one) => chain.request("eth_sendRawTransaction", [one])));
    expect(new Set(hashes).size).to.equal(40);
    expect(await countSent()).to.equal(first + 40);
    const fields = { from: account.address, to: account.address };
    const nonces = [first + 41, first + 40].map((nonce) => numberToHex(nonce));
    await Promise.all(nonces.map((nonce) => chain.request("eth_sendTransaction", [{ ...fields, nonce }])));
    expect(await countSent()).to.equal(first + 42);
  });

  it("one whose earlier ones never arrive is an error, and leaves no trace", async () => {
    const first = await countSent();
    const error = await chain.request("eth_sendRawTransaction", [await sign(first + 1)]).catch((cause: Error) => cause);
    expect(String(error)).to.include(`Nonce too high. Expected nonce to be ${first} but got ${first + 1}`);
    const hash = (await chain.request("eth_sendRawTransaction", [await sign(first)])) as Hex;
    expect(await chain.request("eth_getTransactionReceipt", [hash])).to.include({ status: "0x1" });
    expect(await countSent()).to.equal(first + 1);
  });
});
