import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type Address, type Hex, parseAbi, recoverTypedDataAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { getDevelopmentKeys } from "../../backend/config/service-keys.ts";
import { scaleCount } from "../../lab/drills/support/drill.ts";
import { type BackendProcess, startBackend } from "../../lab/drills/support/process.ts";
import { waitFor } from "../adapters/chain/chain-fixture.ts";
import { type AnvilChain, startAnvilChain } from "../helpers/anvil-stack.ts";
import { sendRequest } from "../helpers/suite.ts";

/** Signatures requested per second. */
const PREPARES_PER_SECOND = 50;
/** The maximum number of open requests. */
const OPEN_MAX = 25;
/** The number of answers to wait for in each phase. */
const ANSWERS_PER_PHASE = scaleCount(60);
const TRIED_CALLS = 20;
const KEYS = getDevelopmentKeys();
const ABI = parseAbi([
  "function scheduleSigner(address account, bool isContract)",
  "function promoteSigner()",
  "function revokeSigner(address account)",
]);

interface Prepared {
  readonly status: number;
  readonly code: string | null;
  readonly wallet: Address;
  readonly signer: Address | null;
  readonly call: { readonly to: Address; readonly data: Hex } | null;
}

describe("the rotation of a signer on a running server", () => {
  const newKey = generatePrivateKey();
  const [oldSigner, newSigner] = [privateKeyToAddress(KEYS.identity), privateKeyToAddress(newKey)];
  const answers: Prepared[] = [];
  let chain: AnvilChain;
  let folder: string;
  let keyFile: string;
  let backend: BackendProcess;
  let timer: NodeJS.Timeout;
  let open = 0;

  before(async () => {
    chain = await startAnvilChain();
    folder = await mkdtemp(join(chain.dataDir, "rotation-"));
    keyFile = join(folder, "identity-key");
    await writeFile(keyFile, KEYS.identity);
    backend = await startBackend({
      dataDir: folder,
      rpcUrl: chain.rpcUrl,
      env: {
        ARCADE_DEPLOYMENT: join(chain.dataDir, "deployment.json"),
        ARCADE_IDENTITY_SIGNER_KEY: `@${keyFile}`,
        ARCADE_RATE_LIMITS: "off",
        ARCADE_CHAIN_WAIT_MS: "30000",
      },
    });
    timer = setInterval(() => void ask(), 1_000 / PREPARES_PER_SECOND);
  });
  after(async () => {
    clearInterval(timer);
    // A request that is still open when the backend is killed would fail after the test.
    await waitFor(() => open === 0);
    backend?.kill("SIGKILL");
    await backend?.exited;
    await rm(folder, { recursive: true, force: true });
    await chain.close();
  });

  /** A busy machine gets fewer requests per second, instead of more and more open ones. */
  async function ask(): Promise<void> {
    if (open === OPEN_MAX) return;
    open += 1;
    try {
      answers.push(await prepare());
    } finally {
      open -= 1;
    }
  }

  async function prepare(): Promise<Prepared> {
    const walletAddress = privateKeyToAddress(generatePrivateKey());
    const { status, body } = await sendRequest(backend.httpUrl, "POST", "/api/identity/register", {
      body: { walletAddress, agentName: "Rotated" },
    });
    if (status !== 200) return { status, code: body.code ?? null, wallet: walletAddress, signer: null, call: null };
    const { typedData, signature, call } = body;
    return {
      status,
      code: null,
      wallet: walletAddress,
      signer: await recoverTypedDataAddress({ ...typedData, signature }),
      call,
    };
  }
  const send = async (key: Hex, functionName: "scheduleSigner" | "promoteSigner" | "revokeSigner", args: unknown[]) => {
    const account = privateKeyToAccount(key);
    const contract = { address: chain.deployment.identity, abi: ABI, functionName, args, account, chain: null };
    const hash = await chain.client.writeContract(contract as never);
    expect((await chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
  };
  const signedBy = (signer: Address) => answers.filter((answer) => answer.signer === signer);
  const waitForAnswers = async (signer: Address): Promise<void> => {
    const count = signedBy(signer).length + ANSWERS_PER_PHASE;
    await waitFor(() => signedBy(signer).length >= count);
  };
  const waitForMoreAnswers = async (): Promise<void> => {
    const count = answers.length + ANSWERS_PER_PHASE;
    await waitFor(() => answers.length >= count);
  };
  const countLines = (text: string): number => backend.output().split(text).length - 1;
  const reload = async (key: Hex, message: string): Promise<void> => {
    const before = countLines(message);
    await writeFile(keyFile, key);
    process.kill(backend.processId, "SIGHUP");
    await waitFor(() => countLines(message) > before);
  };
  async function countAccepted(signer: Address): Promise<number> {
    const tried = signedBy(signer).slice(-TRIED_CALLS);
    expect(tried).to.have.length(TRIED_CALLS);
    const results = await Promise.allSettled(
      tried.map(({ wallet, call }) => chain.client.call({ account: wallet, to: call!.to, data: call!.data })),
    );
    return results.filter(({ status }) => status === "fulfilled").length;
  }

  it("fails no request in the overlap, and the contract accepts nothing of the old key after its revocation", async () => {
    await waitForAnswers(oldSigner);
    // Too early: the contract does not accept the new key yet.
    await reload(newKey, "not taken");
    // A signature of any key, so that a wrong one fails the next line instead of the wait.
    await waitForMoreAnswers();
    expect(signedBy(newSigner)).to.deep.equal([]);
    expect(backend.output()).to.include(newSigner).and.not.include(newKey.slice(2));

    await send(KEYS.admin, "scheduleSigner", [newSigner, false]);
    await waitForAnswers(oldSigner);
    await reload(newKey, 'the keys were read again"');
    await waitForAnswers(newSigner);
    expect(await countAccepted(oldSigner)).to.equal(TRIED_CALLS);
    expect(await countAccepted(newSigner)).to.equal(TRIED_CALLS);

    await send(KEYS.admin, "promoteSigner", []);
    await send(KEYS.guardian, "revokeSigner", [oldSigner]);
    await waitForAnswers(newSigner);
    expect(await countAccepted(oldSigner)).to.equal(0);
    expect(await countAccepted(newSigner)).to.equal(TRIED_CALLS);

    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed, JSON.stringify(failed.slice(0, 3))).to.deep.equal([]);
  });
});
