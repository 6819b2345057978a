import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider, Wallet } from "ethers";
import { createPublicClient, createWalletClient, http, verifyMessage } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { type LocalChain, startLocalChain } from "../../backend/adapters/chain/local-chain.ts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { makeCall } from "../../backend/domain/calls.ts";
import { makeTypedData } from "../../backend/domain/typed-data.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import { type ArcadeWallet, checkCall, fromEthers, fromViem, sendSignedCall } from "../../client/wallet.ts";
import { WALLET } from "./fake-service.ts";

const chainId = 31337;
/** Code that reverts whatever it is asked. */
const REFUSING = "0x6005600c60003960056000f360006000fd";

async function failureOf(work: Promise<unknown>): Promise<ArcadeChainError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ArcadeChainError);
  return error as ArcadeChainError;
}

describe("client: wallets", function () {
  this.timeout(60_000);
  let wallets: { readonly [library: string]: ArcadeWallet };
  let refusing: `0x${string}`;
  let dataDir: string;
  let chain: LocalChain;
  let provider: JsonRpcProvider;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-wallets-"));
    const [first, second] = [developmentAccount(0), developmentAccount(1)];
    chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: [first, second] });
    const [account, transport] = [privateKeyToAccount(first.privateKey), http(chain.rpcUrl)];
    const walletClient = createWalletClient({ account, chain: hardhat, transport });
    const publicClient = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
    provider = new JsonRpcProvider(chain.rpcUrl, chainId, { polling: true, pollingInterval: 20 });
    wallets = {
      viem: fromViem(walletClient, publicClient as never),
      ethers: await fromEthers(new Wallet(second.privateKey, provider)),
    };
    const hash = await walletClient.deployContract({ abi: [], bytecode: REFUSING });
    refusing = (await publicClient.waitForTransactionReceipt({ hash })).contractAddress!;
  });
  after(async () => {
    provider.destroy();
    await chain.close();
    await rm(dataDir, { recursive: true });
  });

  for (const library of ["viem", "ethers"]) {
    describe(library, () => {
      let wallet: ArcadeWallet;
      before(() => {
        wallet = wallets[library]!;
      });

      it("signs a text as EIP-191 does", async () => {
        const message = "sign in";
        const signature = await wallet.signMessage(message);
        expect(await verifyMessage({ address: wallet.address, message, signature })).to.equal(true);
      });

      it("signs typed data whose types name EIP712Domain", async () => {
        const typedData = makeTypedData(
          "Vote",
          { chainId },
          {
            ...{ walletAddress: wallet.address, gameSlug: "demo", voteSource: "ai_agent", nonce: "n", cycleId: "1" },
          },
        );
        expect(await wallet.signTypedData!(typedData)).to.match(/^0x[0-9a-f]{130}$/);
      });

      it("sends a prepared call and reads its receipt", async () => {
        const receipt = await sendSignedCall(wallet, { call: makeCall(chainId, WALLET, "payout", [wallet.address]) });
        expect(receipt.status).to.equal("success");
        expect(receipt.txHash).to.match(/^0x[0-9a-f]{64}$/);
        expect(receipt.gasUsed > 21_000n).to.equal(true);
        expect(receipt.block).to.be.greaterThan(0);
      });

      it("tells a revert", async () => {
        const call = makeCall(chainId, refusing, "payout", [wallet.address]);
        expect((await failureOf(sendSignedCall(wallet, { call }))).code).to.equal("REVERTED");
      });

      it("sends nothing to another chain", async () => {
        const call = makeCall(1, WALLET, "payout", [wallet.address]);
        expect((await failureOf(wallet.sendCall(call))).code).to.equal("WRONG_CHAIN");
      });
    });
  }

  it("refuses a call that is not what it says", async () => {
    const honest = makeCall(chainId, WALLET, "payout", [WALLET]);
    checkCall(honest);
    const other = makeCall(chainId, WALLET, "payout", [refusing]);
    const dishonest = [
      { ...honest, data: other.data },
      { ...honest, args: [refusing] },
      { ...honest, functionName: "transferEverything" },
      { ...honest, value: "1" },
    ];
    for (const call of dishonest) {
      const error = await failureOf(sendSignedCall(wallets.viem!, { call: call as typeof honest }));
      expect(error.code).to.equal("CALL_REFUSED");
    }
  });
});
