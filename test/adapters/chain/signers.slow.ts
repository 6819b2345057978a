import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJsonSync } from "ethers";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createOperatorAccount } from "../../../backend/adapters/chain/transaction-manager/account.ts";
import { createSigners } from "../../../backend/adapters/signer/signers.ts";
import { readSecrets } from "../../../backend/config/config.ts";
import { getDevelopmentKeys, getServiceKeys } from "../../../backend/config/service-keys.ts";
import { type ArcadeClient, requestPayout, snapshotScore } from "../../../client/index.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import { addEndedSession } from "../../../testing/ended-session.ts";
import { createAnvilAgent } from "../../helpers/anvil-agent.ts";
import { type AnvilChain, startAnvilChain, startAppOnAnvil } from "../../helpers/anvil-stack.ts";
import { sendRequest } from "../../helpers/suite.ts";
import { waitFor } from "./chain-fixture.ts";
import { type RemoteSigner, SIGNER_TOKEN, startRemoteSigner } from "./remote-signer.ts";
import type { SignerFault } from "./signer-process.ts";

const KEYS = getDevelopmentKeys();
const PASSPHRASE = "correct horse";
const COOLDOWN_SECONDS = 90;
const GAME = "/api/games/flappybots";

describe("the keys of the service", () => {
  let chain: AnvilChain;
  let folder: string;
  let scoreSigner: RemoteSigner;
  let operatorSigner: RemoteSigner;

  before(async () => {
    chain = await startAnvilChain();
    folder = await mkdtemp(join(tmpdir(), "arcade-signers-"));
    [scoreSigner, operatorSigner] = await Promise.all([
      startRemoteSigner(KEYS.score),
      startRemoteSigner(KEYS.operator),
    ]);
  });
  after(async () => {
    await Promise.all([scoreSigner?.close(), operatorSigner?.close()]);
    await rm(folder, { recursive: true, force: true });
    await chain.close();
  });

  async function writeKeystore(name: string, privateKey: Hex): Promise<string> {
    const account = { address: privateKeyToAddress(privateKey), privateKey };
    await writeFile(
      join(folder, name),
      encryptKeystoreJsonSync(account, PASSPHRASE, { scrypt: { N: 1024, r: 8, p: 1 } }),
    );
    await writeFile(join(folder, "passphrase"), PASSPHRASE);
    return `keystore:${join(folder, name)},${join(folder, "passphrase")}`;
  }
  const startApp = (environment: { readonly [name: string]: string }) =>
    startAppOnAnvil(chain, { keys: getServiceKeys(readSecrets(environment)) });
  async function waitForCooldown(client: ArcadeClient): Promise<void> {
    await chain.client.increaseTime({ seconds: COOLDOWN_SECONDS });
    await chain.client.mine({ blocks: 1 });
    await waitFor(async () => (await client.rewards.readiness({})).ready);
  }
  const getRemoteSettings = () => ({
    ARCADE_SCORE_SIGNER_KEY: scoreSigner.setting,
    ARCADE_OPERATOR_KEY: operatorSigner.setting,
    ARCADE_SIGNER_TOKEN: SIGNER_TOKEN,
  });

  async function createAgent(httpUrl: string) {
    const agent = await createAnvilAgent(chain, httpUrl);
    const { sessionId } = await addEndedSession(chain, { wallet: agent.address, minScore: 20 });
    return { ...agent, sessionId };
  }

  /** An agent whose score can be paid out. */
  async function createEarner(httpUrl: string) {
    const agent = await createAgent(httpUrl);
    await snapshotScore({ client: agent.client, sessionId: agent.sessionId });
    await waitForCooldown(agent.client);
    return agent;
  }
  const waitUntilPaid = ({ client }: { readonly client: ArcadeClient }, payoutId: string) =>
    waitFor(async () => (await client.rewards.payoutStatus({ payoutId })).status === "included");

  const sources: readonly (readonly [string, () => Promise<{ readonly [name: string]: string }>])[] = [
    ["private keys", async () => ({ ARCADE_SCORE_SIGNER_KEY: KEYS.score, ARCADE_OPERATOR_KEY: KEYS.operator })],
    [
      "encrypted key files",
      async () => ({
        ARCADE_SCORE_SIGNER_KEY: await writeKeystore("score.json", KEYS.score),
        ARCADE_OPERATOR_KEY: await writeKeystore("operator.json", KEYS.operator),
      }),
    ],
    ["remote signers", async () => getRemoteSettings()],
  ];
  for (const [name, getEnvironment] of sources)
    it(`as ${name} sign a score that the contract accepts, and pay it`, async () => {
      const app = await startApp(await getEnvironment());
      try {
        const { client } = await createEarner(app.httpUrl);
        const outcome = await requestPayout({ client });
        expect(outcome, JSON.stringify(outcome)).to.include({ paid: true });
      } finally {
        await app.close();
      }
    });

  describe("at a remote signer", () => {
    const faults: readonly SignerFault[] = ["black-hole", "error", "not-json", "other-key", "other-message"];
    it(`that fails (${faults.join(", ")}) give 503 SIGNER_UNAVAILABLE, while everything else continues`, async () => {
      const app = await startApp(getRemoteSettings());
      try {
        const { post } = await createAgent(app.httpUrl);
        for (const fault of faults) {
          await scoreSigner.setFault(fault);
          const rejected = await post("/api/rewards/snapshot");
          expect({ fault, status: rejected.status, code: rejected.body.code }).to.deep.equal({
            fault,
            status: 503,
            code: "SIGNER_UNAVAILABLE",
          });
          expect(rejected.body.error).to.include(scoreSigner.key.address);
          for (const secret of [SIGNER_TOKEN, KEYS.score, new URL(scoreSigner.key.url).host])
            expect(JSON.stringify(rejected.body)).to.not.include(secret);
          for (const path of [`${GAME}/sessions/live`, "/readyz", "/api/gates"])
            expect((await sendRequest(app.httpUrl, "GET", path, {})).status, `${fault} ${path}`).to.equal(200);
          expect((await post("/api/rewards/scorebank")).status).to.equal(200);
          const started = await sendRequest(app.httpUrl, "POST", `${GAME}/sessions/start`, {
            body: { source: "browser_ws" },
          });
          expect(started.status).to.equal(200);
          await scoreSigner.setFault("none");
          await waitFor(async () => (await post("/api/rewards/snapshot")).status === 200);
        }
      } finally {
        await scoreSigner.setFault("none");
        await app.close();
      }
    });

    it("that is unavailable leave a payout open, which is paid when the signer is back", async () => {
      const app = await startApp(getRemoteSettings());
      try {
        const agent = await createEarner(app.httpUrl);
        await operatorSigner.setFault("error");
        const { status, body } = await agent.post("/api/rewards/payout");
        expect({ status, state: body.status }).to.deep.equal({ status: 202, state: "pending" });
        await operatorSigner.setFault("none");
        await waitUntilPaid(agent, body.payoutId);
      } finally {
        await operatorSigner.setFault("none");
        await app.close();
      }
    });

    it("exchange the operator's token on a running server", async () => {
      const keys = getServiceKeys(readSecrets(getRemoteSettings()));
      const operator = { ...operatorSigner.key, token: "a-token-of-yesterday" };
      const app = await startAppOnAnvil(chain, { keys: { ...keys, operator } });
      try {
        const agent = await createEarner(app.httpUrl);
        const { status, body } = await agent.post("/api/rewards/payout");
        expect(status).to.equal(202);
        await app.exchangeSigners(keys);
        await waitUntilPaid(agent, body.payoutId);
      } finally {
        await app.close();
      }
    });

    const transaction = {
      type: "eip1559" as const,
      to: privateKeyToAddress(KEYS.admin),
      data: "0x1234" as const,
      value: 0n,
      gas: 21_000n,
      nonce: 7,
      chainId: 31_337,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
    };
    const signScore = (score: Hex | RemoteSigner["key"]) => {
      const { address } = scoreSigner.key;
      const message = createTypedData(
        "Snapshot",
        { chainId: 31_337, verifyingContract: address },
        { wallet: address, gameId: KEYS.admin, score: "7", gameSessionHash: KEYS.admin, deadline: "9" },
      );
      return createSigners({ ...KEYS, score })("score").sign(message);
    };
    const getCode = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => "signed",
        (error) => error.code,
      );

    it("sign the same bytes as the key itself", async () => {
      const local = createOperatorAccount(KEYS.operator);
      const remote = createOperatorAccount(operatorSigner.key);
      expect(remote.address).to.equal(local.address);
      expect(await remote.signTransaction(transaction)).to.equal(await local.signTransaction(transaction));
      expect(await signScore(scoreSigner.key)).to.deep.equal(await signScore(KEYS.score));
    });

    it("give their signatures even if each response has an error field that is null", async () => {
      await scoreSigner.setFault("null-error");
      try {
        expect(await signScore(scoreSigner.key)).to.deep.equal(await signScore(KEYS.score));
      } finally {
        await scoreSigner.setFault("none");
      }
    });

    for (const fault of ["other-key", "other-message", "random"] as const)
      it(`never return a transaction that is signed wrongly (${fault})`, async () => {
        const signer = await startRemoteSigner(KEYS.operator);
        try {
          await signer.setFault(fault);
          const account = createOperatorAccount(signer.key);
          expect(await getCode(account.signTransaction(transaction))).to.equal("SIGNER_UNAVAILABLE");
        } finally {
          await signer.close();
        }
      });

    it("need the token", async () => {
      const account = createOperatorAccount({ ...operatorSigner.key, token: null });
      expect(await getCode(account.signTransaction(transaction))).to.equal("SIGNER_UNAVAILABLE");
    });
  });
});
