import { expect } from "chai";
import { type DeployEvent, prepareDeployment } from "../../deploy/execute-public.ts";
import { checkHandOver } from "../../deploy/public/hand-over.ts";
import { createRpcRequest, type RpcRequest } from "../../deploy/public/rpc.ts";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, openTestnet } from "./job.ts";
import { createTestAccounts } from "./testnet.ts";

const STEPS = 8;
const DEPTH = 4;

describe("reorganize the chain during a deployment", () => {
  const { people, roles } = createTestAccounts();
  const testnet = useEach(() => openTestnet({ people, roles }));

  /** Deploys. When `isMoment` is first true for a request, the last blocks and their transactions are lost. */
  async function deploy(isMoment: (method: string, sends: number) => boolean, afterReorg = async () => {}) {
    const { chain, place } = testnet;
    const node = createRpcRequest(chain.rpcUrl);
    let [sends, reorganized] = [0, false];
    const request: RpcRequest = async (call) => {
      if (!reorganized && isMoment(call.method, sends)) {
        reorganized = true;
        await node({ method: "anvil_reorg", params: [DEPTH, []] });
        await afterReorg();
      }
      if (call.method === "eth_sendRawTransaction") sends++;
      return node(call);
    };
    const options = { ...createDeployOptions(chain, people.deployer, roles, place.folder), request };
    const events: DeployEvent[] = [];
    const prepared = await prepareDeployment(options);
    const record = await prepared.execute((event) => void events.push(event));
    expect(reorganized).to.equal(true);
    for (const step of prepared.plan.steps)
      if (step.kind === "create") expect(record.contracts[step.name]!.address).to.equal(step.address);
    const handOver = await checkHandOver(prepared.client, options.parameters, record, people.deployer.address);
    expect(handOver.filter(({ holds }) => !holds)).to.deep.equal([]);
    const lost = events.flatMap((event) => (event.kind === "lost" ? [event.message] : []));
    const transactions = await chain.client.getTransactionCount({ address: people.deployer.address });
    return { lost, transactions };
  }

  const isSend = (method: string): boolean => method === "eth_sendRawTransaction";

  it("resends confirmed steps with the same signatures, while the next one waits behind them", async () => {
    const { lost, transactions } = await deploy((method, sends) => isSend(method) && sends === DEPTH);
    expect({ lost, transactions }).to.deep.equal({ lost: [], transactions: STEPS });
  });

  it("detects before the next step that confirmed ones are gone", async () => {
    const { lost, transactions } = await deploy(
      (method, sends) => method === "eth_getTransactionCount" && sends === DEPTH,
    );
    expect(lost).to.have.length(1);
    expect(lost[0]).to.match(/^Token\.RewardToken: a reorganization removed 0x[0-9a-f]{64} from the chain/);
    expect(transactions).to.equal(STEPS);
  });

  it("signs a step again whose nonce another transaction of the deployer has taken", async () => {
    const spend = async () => {
      const { client } = testnet.chain;
      const account = people.deployer;
      const hash = await client.sendTransaction({ account, to: account.address, nonce: 0, gas: 21_000n });
      await client.waitForTransactionReceipt({ hash });
    };
    const { lost, transactions } = await deploy((method, sends) => isSend(method) && sends === DEPTH, spend);
    expect(lost[0]).to.match(/^Token\.RewardToken: the node rejects 0x[0-9a-f]{64}/);
    expect(transactions).to.equal(STEPS + 1);
  });

  it("checks every step again at the end", async () => {
    let looks = 0;
    const { lost, transactions } = await deploy(
      (method, sends) => sends === STEPS && method === "eth_getCode" && ++looks === 3,
    );
    expect(lost).to.have.length(1);
    expect(transactions).to.equal(STEPS);
  });
});
