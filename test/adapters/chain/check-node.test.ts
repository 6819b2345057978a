import { expect } from "chai";
import { checkNode } from "../../../backend/app/check-node.ts";
import { ConfigError } from "../../../backend/config/config.ts";
import { getDevelopmentKeys } from "../../../backend/config/service-keys.ts";
import { startAnvil } from "../../deploy/testnet.ts";
import { startServer } from "../../helpers/http-server.ts";
import { silentLog } from "./chain-fixture.ts";

const ADDRESS = `0x${"1".repeat(40)}` as const;
const DEPLOYMENT = {
  chainId: 84_532,
  startBlock: 0,
  identity: ADDRESS,
  rewards: ADDRESS,
  token: ADDRESS,
  market: null,
  nft: {},
};

describe("a node that does not answer at the start", () => {
  for (const [status, advice] of [
    [301, /perhaps with a slash at the end$/],
    [401, /^correct the key, or user and password/],
    [405, /^another program answers there/],
  ] as const)
    it(`is reported with what to do: HTTP ${status}`, async () => {
      const server = await startServer((_, response) => response.writeHead(status).end());
      const warnings: { readonly reason?: string; readonly next?: string }[] = [];
      const log = { ...silentLog, warn: (fields: object) => warnings.push(fields) };
      await checkNode({ rpcUrl: server.url, deployment: DEPLOYMENT, keys: getDevelopmentKeys(), log });
      server.close();
      expect(warnings).to.have.length(1);
      expect(warnings[0]?.reason).to.equal(`HTTP ${status}`);
      expect(warnings[0]?.next).to.match(advice);
    });
});

describe("a node of a chain without EIP-1559", () => {
  it("keeps the service from starting, with what the chain lacks and what to do", async () => {
    const anvil = await startAnvil({ chainId: DEPLOYMENT.chainId, createX: false, hardfork: "berlin" });
    const options = { rpcUrl: anvil.rpcUrl, deployment: DEPLOYMENT, keys: getDevelopmentKeys(), log: silentLog };
    const error = await checkNode(options)
      .catch((thrown: unknown) => thrown)
      .finally(() => anvil.close());
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.match(/a base fee \(EIP-1559\).*received chain 84532 without one; deploy on a chain with/);
  });
});

describe("contracts that the chain does not have", () => {
  it("are reported by their address at the start", async () => {
    const anvil = await startAnvil({ chainId: DEPLOYMENT.chainId, createX: false });
    const warnings: { readonly reason?: string }[] = [];
    const log = { ...silentLog, warn: (fields: object) => warnings.push(fields) };
    await checkNode({ rpcUrl: anvil.rpcUrl, deployment: DEPLOYMENT, keys: getDevelopmentKeys(), log }).finally(() =>
      anvil.close(),
    );
    expect(warnings.map(({ reason }) => reason).join()).to.include(`There is no contract at ${ADDRESS} on chain 84532`);
  });
});
