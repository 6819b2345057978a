/** A server on a free port, which it sends to the process that started it. */
import { createServer } from "node:net";
import { listen } from "../../../backend/adapters/node/listen.ts";

const options = { port: 0, host: "127.0.0.1", whenBusy: "fail", portVariable: "ARCADE_PORT" } as const;
process.once("disconnect", () => process.exit());
process.send!(await listen(createServer(), options));
