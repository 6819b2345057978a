/** The words of docs/benchmarks.md for each benchmark, in the document's order. The figures come from stored runs. */
export interface Section {
  /** File name of the benchmark and of its stored run. */
  readonly name: string;
  readonly title: string;
  readonly about?: string;
  /** What remains, shown where a bar is missed. */
  readonly remains?: string;
}

const WS_PEERS =
  "Each side plays the same game and sends the same JSON frame from a process of its own, to spectators of another process. Naive `ws` makes the text once a tick and calls `send` for each spectator; Colyseus broadcasts it to its room; socket.io emits it to its room over WebSocket.";

export const SECTIONS: readonly Section[] = [
  {
    name: "signing",
    title: "Signing, hashing, checking",
    about:
      "All sides in one process, a different payload or wallet for each operation. Signatures and digests are compared with viem's, and every check must also refuse the signature of another wallet.",
    remains:
      "The C library takes nine tenths of a signature of ours, so the ratio to viem is that of the library and the processor. A digest of many parts is nearly all Keccak, so its ratio is lower than that of a single message.",
  },
  {
    name: "fan-out",
    title: "Fan-out: CPU of the server for each delivered frame",
    about: `${WS_PEERS} The floor has no game: it writes bytes that were made before to each socket (\`net.Socket.write\`), which every server on Node has to do. Spectators answer pings and count frames and bytes.`,
    remains:
      "In a CPU profile of the ticks with 4 spectators the kernel's writes take 49 %, making and encoding the frame 19 %, the game and its recording 9 %; the rest is spread over seats, back-pressure and deadlines. The floor, which writes ready bytes and does nothing else, takes 0.58 of naive `ws` at 4 spectators and 0.68 at 20: at 20 all three bars lie below it, so that only fewer writes (frames for several ticks, or compact frames) could meet them.",
  },
  {
    name: "sessions",
    title: "Sessions per core",
    about: `${WS_PEERS} A number of sessions counts when 99 of 100 ticks come less than a quarter of a tick late and our ticks keep their rate within 0.1 %; the peers' intervals drift, which is reported and not held against them. Corrected timers are set to each tick's own time, which the obvious server does not do.`,
    remains:
      "In a CPU profile of 600 sessions at 30 Hz the kernel's writes take 50 % of the thread's work, the JSON of the frames 19 %, making them 10 %, their listeners and channels 6 %, the game 2 %. All sides do this work for each tick, so a tick costs them the same; the gain comes from the scheduler, and against a peer that corrects its timers there is no reliable gain.",
  },
  {
    name: "capacity",
    title: "Capacity",
    about: "One process with its database on disk; its 2,500 sockets are those of another process.",
    remains:
      "In a CPU profile the kernel's writes to the sockets, 50,000 a second, take 69 % of the thread, the JSON of the frames 13 %, making them 4 %, their listeners and channels 4 %, the game 2 %. A tick waits for the writes of the ticks before it, so only fewer writes (frames for several ticks, fewer spectators in the owner's process) would make it earlier; the process that reads the other ends of the sockets takes the second core.",
  },
  {
    name: "isolation",
    title: "Tick isolation",
    about:
      "One process; every millisecond it is handed its share of the signatures and sign-ins: ours signs on the thread of the ticks and checks the signatures of sign-ins in a worker thread. The second row is the use of it: whole signed snapshots through HTTP, in the process that runs the sessions.",
    remains:
      "500 snapshots a second use more than half of the core that the ticks share with them, so a tick waits for the request before it, 1 ms of requests at most in a turn of the event loop (what a snapshot's CPU goes to: the profile under Signed endpoints). Where both loads are that high, `ARCADE_ROLES` gives the requests a process of their own, which has no ticks (`docs/scaling.md`).",
  },
  {
    name: "plane",
    title: "Viewers on another node",
    about:
      "Two nodes with NATS between them beside one, each a process of its own; CPU of all of them together, NATS included. Then one session whose viewers are spread over four other nodes: its node reaches NATS through a proxy that counts its bytes.",
    remains:
      "NATS takes 2 us of a frame's CPU, and a frame's way on the same node, without NATS, is as long (the second side of the row): what a frame waits for is a processor. Two nodes, NATS and the process of 500 viewers share two cores here, where the bar asks for an idle machine.",
  },
  {
    name: "fleet",
    title: "Backends on PostgreSQL",
    about:
      "The whole service, each backend a process of its own; PostgreSQL waits for the disk at each commit, and its own CPU is not counted. Several backends share limits, and reach each other over NATS. Each answer is checked, signatures included, and each durable row counted; a session that was started is ended outside of the measured time.",
    remains:
      "On PostgreSQL every statement is a message to another process: a signed snapshot reads its session by a statement of its own, and shares the beginning, the check of the lease, the mark of the session, the record of the signature and the commit with the calls of its transaction; SQLite runs the statements of each call in the process. A backend of several also takes two shared tokens for each snapshot, in round trips that it shares with the requests of the same moment, and hears of each commit of the others. Four backends, PostgreSQL, NATS, the chain and the load share two cores here, and every commit waits for the machine's disk, which stops for up to 0.3 s at times: rounds of one row differ by up to a factor of two. In the run before this one, two of the six rows with four backends met the bar (snapshots loaded in turn 0.95, registrations all at once 1.13).",
  },
  {
    name: "mcp",
    title: "Ticks beside the model context protocol",
    about:
      "The whole service with ranked sessions on its thread, each with a spectator, and calls of `list_games`, `describe_game` and `leaderboard` through `POST /mcp`, whose server is a process of its own. A round is a window of 4 s without calls and one with them, in turns first; every call must be answered by its tool.",
    remains:
      "In a CPU profile the passing on of a call to its process takes four tenths of what a call costs the ticks' process, the route that the tool then asks a quarter, and the sockets the rest; a tick that is due meanwhile waits for each of these steps. In a fleet `/mcp` is served by the role `api`, whose process has no ticks (`docs/scaling.md`).",
  },
  {
    name: "http",
    title: "Reads over HTTP (P6)",
    about:
      "Each server in a process of its own, 32 connections with one request at a time on each, from 4,096 client addresses. Ours is the whole service as `serve` runs it on a public chain behind a proxy: limits, request ids, security headers, a log line and metrics for each answer. Bare Express 5 has the same bytes ready and ends its response with them; to requests with a token it answers by `response.json` behind `express.json()`. Answers are compared by status and length, one of sixteen byte by byte.",
    remains:
      "In a CPU profile of the catalog the write to the socket takes 40 % of an answer of ours, Node's check of 20 more headers 11 %, the log line and the metrics 10 %, limits and the gate before them 8 %. Beside Express, which took 20.1 us, a server of Node that writes the same bytes behind two headers took 16.0 us, and one that writes them to the bare socket 10.0 us, so 1.4 x would need a parser of HTTP of our own. In a profile of `auth/session` the write to the socket takes 20 % of an answer, garbage 15 %, token and limits 9 %, the log line and the metrics 9 %, the rest is Node and the way through the route; 1.3 x leaves three tenths of an answer of Express, which has none of them, for all that is beside the write. In a profile of `heartbeat`, which reads nothing from the store, the write to the socket takes 18 %, garbage 12 %, the log line and the metrics 8 %, checks of the body by zod and viem 5 %, the token 4 %; the rest is Node, limits and promises, none of them more than 3 %.",
  },
  {
    name: "compact",
    title: "Compact frames",
    about:
      "The frames of whole runs of the reference bots; a spectator decodes each and must get the frame of the game.",
  },
  {
    name: "training",
    title: "Training environments",
    about:
      "`client/training` in one thread; after a round the observations must be those of the bare rules with the same seeds and actions. From Python, both processes count by the clock.",
  },
  {
    name: "endpoint",
    title: "Signed endpoints",
    about:
      "The whole service beside the obvious server (Express, zod, Kysely with a commit for each statement, viem, one `eth_call`), each in a process of its own at the same node. Each signature is verified and each durable row counted.",
    remains:
      "In a CPU profile of snapshots SQLite with Kysely takes 17 % of the thread that answers, the questions to the node 11 % (viem, and `fetch`, which took twice as much as `node:http` does now), the kernel's writes to sockets (answers, and questions to the node) 10 %, the signature 6 %, garbage 5 %; the rest is spread over HTTP, limits, checks, the log line and promises, none of them more than 3 %. V8's own threads (garbage, compilation) take another eighth of the CPU of the process. Fewer answers a second, as on a busy machine, leave each with a larger part of the polls of the chain. The row of `nft/prepare` has rounds of 300 requests instead of 1,000, since a wallet mints once, and cannot be compared with the other two: where one process answers 300 of each in turn, an `nft/prepare` takes 0.9 of the CPU of a snapshot (0.78 to 1.01 in 12 rounds, load 10 to 14).",
  },
  {
    name: "durable",
    title: "Durable writes",
    about:
      "A minimal HTTP server before each store, one row for each request, answered when it is on the disk. The other side is SQLite with WAL and `synchronous = FULL`; ours commits in WAL and waits for `fdatasync` of the log in another thread. The rows are counted by another connection.",
    remains:
      "Writes that arrive during a wait for the disk share the next one, so the gain grows with the time that the disk takes: it is the number of writes in a wait, bounded by the fifty connections. On a disk that confirms in 0.2 ms the CPU of a request, 45 us, decides.",
  },
  {
    name: "operator",
    title: "The operator's transactions",
    about:
      "From one wallet to a fresh anvil in each round, 0 and 20 ms away, to a contract that counts its calls; every receipt is counted, and a fifth as many transactions are sent before the clock runs. Ours simulates each call, signs it, stores it and sends it. The presigned sides do none of this while the clock runs: one sends each transaction in a request of its own, 64 at a time, the other 100 in a request. The last one sends a transaction when it has the receipt of the one before.",
    remains:
      "In a CPU profile of our process SQLite with its commits takes 24 %, requests 26 % (`node:http` with JSON 17 %, viem 9 %), signatures 14 %, the manager itself 6 %; `fetch` takes twice as much as `node:http`. Where node and senders share two cores that work is not hidden behind the node's, and the node simulates each call besides; simulating a batch in one call would need a contract that relays it.",
  },
  {
    name: "start",
    title: "Start",
    about:
      "`npm start` with an empty data folder up to its line of JSON, after which both games must let a session start; the clone holds what is committed, links to the installed packages, and nothing that was compiled. `npm run agent` must play both games to their end and be paid. Then `serve` after `kill -9` beside an anvil, from the start of its process until `/readyz` answers 200; afterwards all open sessions must be listed as live, and the stored ones be there. Then a database of the version before the boards, until it is migrated: the boards must count every session, and the reports of progress name them.",
    remains:
      "The CPU of a start is mostly the loading of modules (viem, zod, Kysely and our own, from the compile cache), about 0.7 s of it; on a machine with more running processes than cores the clock shows a multiple of it.",
  },
  {
    name: "growth",
    title: "Growth",
    about:
      "The statements behind the routes and the indexer, in this process, on a store in a file with the sessions and snapshots of many wallets, beside the same with a thousand sessions; then the replays of the reference bot's longest runs, ten minutes of play in all.",
    remains:
      "A larger database has deeper indexes, and its pages are not in the processor's cache: a bare look-up by primary key, which reads the same number of rows, costs 1.7 times as much in the larger file; mapping the file into memory took 30 % off ours. The bank of a wallet is stored after each of its snapshots and payouts, so a reading of it is one row.",
  },
];
