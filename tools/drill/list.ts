/** The drills of the service: which tests each one is, and how much of its load belongs to the short set. */

export interface Drill {
  readonly id: string;
  readonly what: string;
  /** The failures that it injects. */
  readonly faults: string;
  /** Files of tests, below test/. */
  readonly files: readonly string[];
  /** The part of the load that `--ci` runs; 0: none, because of its length or because CI has another command for it. */
  readonly ciShare: number;
  /** The safeguard that `--self-test` removes; null where none can be removed by a switch. */
  readonly planted: string | null;
}

export const DRILLS: readonly Drill[] = [
  {
    id: "A1",
    what: "Agents live on while the whole process group is killed",
    faults: "100 times `kill -9` at random moments of register, play, snapshot, NFT and payout",
    files: ["drills/kill.drill.ts"],
    ciShare: 0,
    planted: "the database is lost at the last kill",
  },
  {
    id: "A2",
    what: "Kills at named points",
    faults:
      "`kill -9` between the stored row and the send, between send and answer, after acknowledged writes, between relay and its transaction",
    files: [
      "adapters/chain/transaction-nonces.test.ts",
      "adapters/chain/relay-kill.slow.ts",
      "flows/durable.slow.ts",
      "flows/restart.slow.ts",
    ],
    ciShare: 0,
    planted: null,
  },
  {
    id: "B1",
    what: "Reorganizations under the indexer and under payouts",
    faults: "reorganizations before and after events were seen, up to a depth of 10",
    files: [
      "adapters/chain/indexer.test.ts",
      "adapters/chain/transaction-reorganizations.test.ts",
      "http/rewards/payout-reorganization.slow.ts",
    ],
    ciShare: 0,
    planted: null,
  },
  {
    id: "B3",
    what: "The operator's transactions heal",
    faults: "underpriced, stuck, dropped, refused by the node, nonce gap, nonce used by hand, cancelled",
    files: [
      "adapters/chain/transaction-fees.test.ts",
      "adapters/chain/transaction-nonces.test.ts",
      "adapters/chain/transaction-orders.test.ts",
      "adapters/chain/transaction-manager.test.ts",
    ],
    ciShare: 0,
    planted: null,
  },
  {
    id: "C1",
    what: "A signer is rotated under 50 signatures a second",
    faults: "the new key too early, SIGHUP in the overlap, promotion, revocation of the old key",
    files: ["http/rotation.slow.ts"],
    ciShare: 0,
    planted: null,
  },
  {
    id: "E1",
    what: "Malformed HTTP requests beside a player",
    faults: "10,000 requests made from the schemas, with limits off and on",
    files: ["drills/malformed.drill.ts"],
    ciShare: 0,
    planted: "the handler of one route throws",
  },
  {
    id: "E2",
    what: "Malformed WebSocket traffic beside a player",
    faults: "10,000 malformed messages, 1,000 broken frames, 1,000 half-open or header-heavy upgrades",
    files: ["drills/ws-malformed.drill.ts"],
    ciShare: 0.1,
    planted: "a message that is no JSON is an unhandled error",
  },
  {
    id: "E2b",
    what: "Floods within the protocol beside a ranked game",
    faults: "pings, pongs, invalid tokens, silent sockets, half-sent requests, practice starts",
    files: ["drills/flood.drill.ts"],
    ciShare: 0,
    planted: "frames and requests are not counted",
  },
  {
    id: "F1",
    what: "Spectators that stopped reading",
    faults: "100 sockets that are never read, beside 50 good ones",
    files: ["drills/ws-crowd.drill.ts"],
    ciShare: 0.3,
    planted: "every tick is queued for every socket",
  },
  {
    id: "F2",
    what: "Exactly one controller",
    faults: "50 disconnects and returns, half of them with two sockets at once",
    files: ["drills/ws-controls.drill.ts"],
    ciShare: 0.4,
    planted: "the displaced socket stays open",
  },
  {
    id: "G1",
    what: "Two backends on one database",
    faults: "one killed, one stopped by SIGTERM, one paused for longer than its lease",
    files: ["flows/fleet.slow.ts", "flows/takeover.slow.ts"],
    ciShare: 0,
    planted: null,
  },
  {
    id: "G2",
    what: "A fleet whose nodes are killed, with agents and viewers on any of them",
    faults:
      "in fleets of two and four: a node killed every 20 s for five minutes, one stopped for 20 s, NATS and PostgreSQL restarted, late frames and writes of dead nodes",
    files: ["drills/fleet.drill.ts"],
    ciShare: 0,
    planted: "fencing, the check of the lease and the check of a frame's node, one at a time",
  },
  {
    id: "I1",
    what: "Replays of everything that is signed or given out",
    faults: "every nonce, message, token, ballot and signature used again, changed, elsewhere or too late",
    files: ["drills/replays.drill.ts"],
    ciShare: 1,
    planted: "a nonce can be used twice",
  },
  {
    id: "J1",
    what: "Races",
    faults: "50 to 100 equal requests at once: sign-in, refresh, start, snapshot, payout, vote",
    files: ["drills/races.drill.ts"],
    ciShare: 1,
    planted: "the index that limits a wallet to one open session is dropped",
  },
  {
    id: "K1",
    what: "Authorization of every route",
    faults: "no token, another wallet's, an expired one, one of the wrong kind, after the end",
    files: ["http/authorization.test.ts"],
    ciShare: 0,
    planted: null,
  },
  {
    id: "K2",
    what: "Secrets in outputs",
    faults: "every key and token of a whole flow is searched in logs, files, errors and metrics",
    files: ["flows/secrets-in-output.slow.ts"],
    ciShare: 0,
    planted: null,
  },
  {
    id: "L1",
    what: "Recorded sessions derived again by another process",
    faults: "one bit changed in log, seed or score",
    files: ["drills/ws-replays.drill.ts"],
    ciShare: 0.2,
    planted: "a stored score is wrong",
  },
  {
    id: "L1-files",
    what: "Replay files verified by the command",
    faults: "one bit changed in a downloaded file",
    files: ["drills/replay-files.drill.ts"],
    ciShare: 0.04,
    planted: "a stored score is wrong",
  },
  {
    id: "N1",
    what: "SIGTERM with 20 games running",
    faults: "a stop in the middle of play",
    files: ["drills/ws-drain.drill.ts"],
    ciShare: 1,
    planted: "the process is killed instead",
  },
  {
    id: "reconnect",
    what: "Connections that come and go",
    faults: "sockets that are cut and opened again",
    files: ["drills/ws-reconnects.drill.ts"],
    ciShare: 0.04,
    planted: "what an address had open is never forgotten",
  },
  {
    id: "leak",
    what: "Sessions that end leave nothing behind",
    faults: "sessions started and ended in a row",
    files: ["drills/ws-leak.drill.ts"],
    ciShare: 0.2,
    planted: "ended sessions are kept",
  },
  {
    id: "drain",
    what: "A drain of the gas that the operator pays",
    faults: "1,000 fresh wallets, each from an address of its own",
    files: ["drills/sponsors.drill.ts"],
    ciShare: 0.03,
    planted: "the bounds of the day are lifted",
  },
];
