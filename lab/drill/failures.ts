/** Drills of failures: processes that are killed, the chain and its node, keys, and the disk. */
import type { Drill } from "./drill.ts";

export const FAILURE_DRILLS: readonly Drill[] = [
  {
    id: "A1",
    what: "Agents live on while the process group with its chain is killed, and a backend beside an anvil",
    faults: "100 times each `kill -9` at random moments of register, play, snapshot, NFT and payout",
    files: ["lab/drills/kill.drill.ts"],
    ciShare: 0,
    injected: "the database is lost at the last kill",
  },
  {
    id: "A2",
    what: "Kills at named points",
    faults:
      "`kill -9` between the stored row and the send, between send and answer, after acknowledged writes, between relay and its transaction",
    files: [
      "test/adapters/chain/transaction-nonces.test.ts",
      "test/adapters/chain/relay-kill.slow.ts",
      "test/flows/durable.slow.ts",
      "test/flows/restart.slow.ts",
    ],
    ciShare: 0,
    injected: "a transaction is sent before it is stored",
  },
  {
    id: "B1",
    what: "Reorganizations under the indexer and under payouts",
    faults: "reorganizations before and after events were seen, up to a depth of 10",
    files: [
      "test/adapters/chain/indexer.test.ts",
      "test/adapters/chain/transaction-reorganizations.test.ts",
      "test/http/rewards/payout-reorganization.slow.ts",
    ],
    ciShare: 0,
    injected: "events of dropped blocks are kept",
  },
  {
    id: "B2",
    what: "An agent's transactions that are lost are signed again",
    faults: "60 times: vanished from the node, never sent, landed after their deadline",
    files: ["lab/drills/lost-transactions.drill.ts"],
    ciShare: 0.05,
    injected: "a score that was signed once counts as done",
  },
  {
    id: "B3",
    what: "The operator's transactions are repaired",
    faults:
      "underpriced, stuck, dropped, refused by the node, nonce gap, nonce used by hand, cancelled, a node that lags",
    files: [
      "test/adapters/chain/transaction-fees.test.ts",
      "test/adapters/chain/transaction-nonces.test.ts",
      "test/adapters/chain/transaction-orders.test.ts",
      "test/adapters/chain/transaction-manager.test.ts",
      "test/adapters/chain/lagging-node.test.ts",
    ],
    ciShare: 0,
    injected: "unused nonces are not filled",
  },
  {
    id: "B4",
    what: "The chain's node fails in six ways beside an agent that plays",
    faults:
      "connections cut, no answers, answers after 2 s, 10 % errors, another chain id, a head that stands still: 30 s each",
    files: ["lab/drills/node-faults.drill.ts"],
    ciShare: 0.05,
    injected: "a call to the node may take twenty times as long as its deadline",
  },
  {
    id: "C1",
    what: "A signer is rotated under 50 signatures a second",
    faults: "the new key too early, SIGHUP in the overlap, promotion, revocation of the old key",
    files: ["test/http/rotation.slow.ts"],
    ciShare: 0,
    injected: "the service signs with a new key before the contracts accept it",
  },
  {
    id: "D1",
    what: "A disk without room, a locked database, a backup and its restore, beside agents that play",
    faults: "30 s without a write of a file, 10 s of another program's lock, a backup in the middle of play",
    files: ["lab/drills/disk.drill.ts"],
    ciShare: 0.05,
    injected: "a write that fails is answered like one that is stored",
  },
];
