import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { BrowserProvider, JsonRpcProvider, makeError, Wallet, WebSocketProvider } from "ethers";
import { createPublicClient, createWalletClient, custom, type Hex, http, verifyMessage } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { ArcadeChainError } from "../../client/errors.ts";
import { type ArcadeWallet, fromEthers, fromViem, sendSignedCall } from "../../client/wallet.ts";
import { createCall } from "../../domain/typed-data/calls.ts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";
import { WALLET } from "./fake-service.ts";

const chainId = 31337;
/** Code that reverts every call with `DeadlineExpired(7)`. */
const EXPIRED_PROVIDER = "0x6015600c60003960156000f363bc3088ef60e01b600052600760045260246000fd";
/** Code that reverts every call. */
const REJECTING_PROVIDER = "0x6005600c60003960056000f360006000fd";

const createVote = (walletAddress: Hex) =>
  createTypedData(
    "Vote",
    { chainId },
    { walletAddress, gameSlug: "demo", voteSource: "ai_agent", nonce: "n", cycleId: "1" },
  );

async function getError(operation: Promise<unknown>): Promise<ArcadeChainError> {
  const error = await operation.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).to.be.instanceOf(ArcadeChainError);
  return error as ArcadeChainError;
}

describe("client: wallets", () => {
  let wallets: { readonly [library: string]: ArcadeWallet };
  let rejecting: `0x${string}`;
  let expired: `0x${string}`;
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
      viem: fromViem(walletClient, publicClient),
      ethers: await fromEthers(new Wallet(second.privateKey, provider)),
    };
    const deploy = async (bytecode: `0x${string}`): Promise<`0x${string}`> => {
      const hash = await walletClient.deployContract({ abi: [], bytecode });
      return (await publicClient.waitForTransactionReceipt({ hash })).contractAddress!;
    };
    rejecting = await deploy(REJECTING_PROVIDER);
    expired = await deploy(EXPIRED_PROVIDER);
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

      it("the wallet signs a text as EIP-191 does", async () => {
        const message = "sign in";
        const signature = await wallet.signMessage(message);
        expect(await verifyMessage({ address: wallet.address, message, signature })).to.equal(true);
      });

      it("the wallet signs typed data whose types include EIP712Domain", async () => {
        expect(await wallet.signTypedData!(createVote(wallet.address))).to.match(/^0x[0-9a-f]{130}$/);
      });

      it("the wallet sends a prepared call and reads its receipt", async () => {
        const call = createCall(chainId, WALLET, "payout", [wallet.address]);
        const receipt = await sendSignedCall(wallet, { call }, call);
        expect(receipt.status).to.equal("success");
        expect(receipt.txHash).to.match(/^0x[0-9a-f]{64}$/);
        expect(receipt.gasUsed > 21_000n).to.equal(true);
        expect(receipt.block).to.be.greaterThan(0);
      });

      it("the wallet reports a revert", async () => {
        const call = createCall(chainId, rejecting, "payout", [wallet.address]);
        expect((await getError(sendSignedCall(wallet, { call }, call))).code).to.equal("REVERTED");
      });

      it("the wallet reports the contract's error for a revert", async () => {
        const call = createCall(chainId, expired, "payout", [wallet.address]);
        const error = await getError(sendSignedCall(wallet, { call }, call));
        expect(error).to.include({ code: "REVERTED", revertName: "DeadlineExpired" });
        expect(error.message).to.equal("payout: DeadlineExpired(7)");
      });

      it("the wallet sends no transaction to another chain", async () => {
        const call = createCall(1, WALLET, "payout", [wallet.address]);
        expect((await getError(wallet.sendCall(call))).code).to.equal("WRONG_CHAIN");
      });
    });
  }

  it("ethers' wallet reads a receipt over a WebSocket when no block follows", async () => {
    const socket = new WebSocketProvider(chain.rpcUrl.replace("http", "ws"), chainId);
    const wallet = await fromEthers(new Wallet(developmentAccount(1).privateKey, socket));
    const call = createCall(chainId, WALLET, "payout", [wallet.address]);
    expect(await sendSignedCall(wallet, { call }, call)).to.include({ status: "success" });
    await socket.destroy();
  });

  it("ethers' wallet reports the text of a node's answer that ethers does not know", async () => {
    const signer = new Wallet(developmentAccount(1).privateKey, provider);
    const error = { code: -32000, message: "transaction gas limit too high (cap: 16777216)" };
    signer.sendTransaction = async () => {
      throw makeError("could not coalesce error", "UNKNOWN_ERROR", { error, payload: {} } as never);
    };
    const call = createCall(chainId, WALLET, "payout", [WALLET]);
    const { code, message } = await getError((await fromEthers(signer)).sendCall(call));
    expect([code, message]).to.deep.equal(["RPC_FAULT", `payout: ${error.message}`]);
  });

  /** The same account in viem and in ethers, with a wallet that answers by `request`. */
  async function openWallets(request: (call: { readonly method: string; readonly params?: unknown }) => unknown) {
    const { address } = developmentAccount(1);
    const provided = { request: async (call: { readonly method: string; readonly params?: unknown }) => request(call) };
    const walletClient = createWalletClient({ account: address, transport: custom(provided, { retryCount: 0 }) });
    const browser = new BrowserProvider(provided, chainId);
    const ofViem = fromViem(walletClient, createPublicClient({ transport: http(chain.rpcUrl) }));
    return { browser, wallets: [ofViem, await fromEthers(await browser.getSigner(address))] };
  }

  for (const [answer, text] of [
    [{ code: -32000, message: "gas limit too high" }, "gas limit too high"],
    [
      { code: -32603, message: "Internal JSON-RPC error.", data: { message: "insufficient funds" } },
      "insufficient funds",
    ],
  ] as const)
    it(`viem's and ethers' wallets report "${text}" of a node or wallet`, async () => {
      const request = async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
        if (method === "eth_sendTransaction") throw Object.assign(new Error(answer.message), answer);
        return chain.request(method, params as readonly unknown[]);
      };
      const { browser, wallets } = await openWallets(request);
      const call = createCall(chainId, WALLET, "payout", [WALLET]);
      for (const wallet of wallets)
        expect((await getError(wallet.sendCall(call))).message)
          .to.include(`payout: `)
          .and.include(text);
      browser.destroy();
    });

  it("viem's and ethers' wallets report that their user rejected a signature or a transaction", async () => {
    const request = async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
      if (/^personal_sign|^eth_sign|^eth_sendTransaction/.test(method))
        throw Object.assign(new Error("User denied it."), { code: 4001 });
      return chain.request(method, params as readonly unknown[]);
    };
    const { browser, wallets } = await openWallets(request);
    const call = createCall(chainId, WALLET, "payout", [WALLET]);
    for (const wallet of wallets)
      for (const [name, rejected] of [
        ["payout", () => wallet.sendCall(call)],
        ["sign-in message", () => wallet.signMessage("hello")],
        ["Vote", () => wallet.signTypedData!(createVote(wallet.address))],
      ] as const) {
        const error = await getError(rejected());
        expect(error.code, name).to.equal("REJECTED");
        expect(error.message).to.match(new RegExp(`^${name}: the wallet rejected it, and nothing was sent`));
      }
    browser.destroy();
  });

  it("viem's wallet reports the HTTP status of a node that rejects requests", async () => {
    const limited = createServer((_, response) => response.writeHead(429).end("slow down")).listen(0, "127.0.0.1");
    await once(limited, "listening");
    const transport = http(`http://127.0.0.1:${(limited.address() as AddressInfo).port}`, { retryCount: 0 });
    const wallet = fromViem(createWalletClient({ account: WALLET, transport }), createPublicClient({ transport }));
    const error = await getError(wallet.sendCall(createCall(chainId, WALLET, "payout", [WALLET])));
    limited.close();
    expect(error.message).to.include("429");
  });

  it("rejects a signer of ethers 5 and a missing public client", async () => {
    const signer = { provider, getAddress: async () => WALLET, _signTypedData: async () => "0x" };
    const error = await fromEthers(signer as never).catch((thrown: Error) => thrown);
    expect((error as Error).message).to.match(/expected a signer of ethers 6/);
    const walletClient = createWalletClient({ account: WALLET, transport: http(chain.rpcUrl) });
    expect(() => fromViem(walletClient, undefined as never)).to.throw(TypeError, /expected a public client/);
  });

  it("viem's wallet sends nothing when only its reader is on the chain of the call", async () => {
    const asked: string[] = [];
    const browserWallet = custom({
      async request({ method }: { readonly method: string }) {
        asked.push(method);
        if (method === "eth_chainId") return "0x1";
        return `0x${"ab".repeat(32)}`;
      },
    });
    const walletClient = createWalletClient({ account: WALLET, transport: browserWallet });
    const wallet = fromViem(walletClient, createPublicClient({ transport: http(chain.rpcUrl) }));
    const error = await getError(wallet.sendCall(createCall(chainId, WALLET, "payout", [WALLET])));
    expect(error.code).to.equal("WRONG_CHAIN");
    expect(error.message).to.equal("The call is for chain 31337, the wallet is on chain 1; switch it.");
    expect(asked).to.deep.equal(["eth_chainId"]);
    expect(await wallet.getChainId!()).to.equal(1);
  });

  it("viem's wallet sends nothing when its reader is on another chain, and blames the reader", async () => {
    const account = privateKeyToAccount(developmentAccount(0).privateKey);
    const walletClient = createWalletClient({ account, transport: http(chain.rpcUrl) });
    const reader = createPublicClient({ transport: custom({ request: async () => "0x1" }) });
    const error = await getError(
      fromViem(walletClient, reader).sendCall(createCall(chainId, WALLET, "payout", [WALLET])),
    );
    expect(error.code).to.equal("WRONG_CHAIN");
    expect(error.message).to.equal(
      "The call is for chain 31337, the public client is on chain 1; create it for chain 31337.",
    );
  });
});
