/** Drills of failures: processes that are killed, the chain and its node, keys, and the disk. */
import type { Drill } from "./drill.ts";

export const FAILURE_DRILLS: readonly Drill[] = [
  {
    id: "A1",
    what: "Kills while agents play: of the process group with its chain, and of a backend beside its anvil",
    faults: "100 times each `kill -9` at random moments of register, play, snapshot, NFT and payout",
    files: ["lab/drills/kill.drill.ts"],
    ciShare: 0,
    injected: "the database is lost at the last kill",
  },
  {
    id: "A2",
    what: "Kills at named points",
    faults:
      "`kill -9` between storing and sending a transaction, between sending and the answer, after acknowledged writes, between a relay and its transaction",
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
    faults: "reorganizations up to 10 blocks deep, before and after the indexer sees the events",
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
    what: "An agent's lost transactions are signed again",
    faults: "60 losses: vanished from the node, never sent, or included after the deadline",
    files: ["lab/drills/lost-transactions.drill.ts"],
    ciShare: 0.05,
    injected: "a score counts as done once it is signed",
  },
  {
    id: "B3",
    what: "The operator's transactions are repaired",
    faults:
      "transactions that are underpriced, stuck, dropped, rejected by the node or cancelled, a nonce gap, a nonce used by hand, a lagging node",
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
      "connections cut, no answers, answers after 2 s, 10 % errors, another chain id, a head that does not move: 30 s each",
    files: ["lab/drills/node-faults.drill.ts"],
    ciShare: 0.05,
    injected: "a call to the node may take twenty times its deadline",
  },
  {
    id: "C1",
    what: "A signer is rotated under 50 signatures a second",
    faults: "the new key used too early, SIGHUP in the overlap, promotion, the old key revoked",
    files: ["test/http/rotation.slow.ts"],
    ciShare: 0,
    injected: "the service signs with a new key before the contracts accept it",
  },
  {
    id: "D1",
    what: "A full disk, a locked database, and a backup and its restore, while agents play",
    faults: "30 s in which no file can grow, a lock of another program for 10 s, a backup in the middle of play",
    files: ["lab/drills/disk.drill.ts"],
    ciShare: 0.05,
    injected: "a failed write is acknowledged as stored",
  },
];
