import { startTransactionManager } from "../../../backend/adapters/chain/transaction-manager/transaction-manager.ts";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import { createSponsorshipBounds } from "../../../domain/sponsorship.ts";
import { createTestRpc, silentLog, testKeys } from "./chain-fixture.ts";

/** A transaction manager in its own process that submits one relay, for a test that kills it before it is sent. */
const [databaseUrl = "", rpcUrl = "", recipient = "0x"] = process.argv.slice(2);
const wallet = recipient as `0x${string}`;
const store = await openStore({ databaseUrl });
const manager = startTransactionManager({
  rpc: createTestRpc(rpcUrl),
  largeBatchRpc: createTestRpc(rpcUrl),
  store: store.transactions,
  clock: systemClock,
  log: silentLog,
  privateKey: testKeys.operator,
  readFinalBlock: async () => -1,
  pollMs: 20,
  stuckMs: 60_000,
  feeCap: null,
});
await manager.submit({
  kind: "relay",
  key: "relayed",
  to: wallet,
  data: "0x",
  value: 1n,
  relay: {
    relayId: "relay",
    kind: "snapshot",
    key: "session",
    wallet,
    identity: "1",
    ip: "10.0.0.1",
    day: 20_000,
    createdAtMs: Date.now(),
    bounds: createSponsorshipBounds({ gasPerDay: 100_000, gasPerIdentity: 100_000, gasPerAddress: null }),
  },
});
