import { expect } from "chai";
import { checkNode } from "../../../backend/app/check-node.ts";
import { getDevelopmentKeys } from "../../../backend/config/service-keys.ts";
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
