import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { createClient } from "../../client/client.ts";
import { root } from "../../scripts/start/build.ts";
import { useEach } from "../helpers/fixture.ts";
import { requirePython } from "../helpers/python.ts";
import { runProgram } from "./run-program.ts";

const python = requirePython();
const AGENTS = [
  {
    name: "the agent in Python",
    run: (url: string) => runProgram(python, ["-B", "-m", "agent_arcade", url], { cwd: join(root, "client-python") }),
  },
  {
    name: "the agent over plain HTTP",
    run: (url: string) => runProgram(process.execPath, [join(root, "examples/http/agent.mjs"), url]),
  },
];

describe("the URL of a service", () => {
  for (const { name, run } of AGENTS)
    it(`of ${name} is an origin: the error tells so, and shows no password`, async () => {
      for (const url of ["http://127.0.0.1:1/api", "http://me:secret@127.0.0.1:1", "127.0.0.1:1", "http://[::1"]) {
        const { code, output } = await run(url);
        expect(output, url)
          .to.match(/^expected the origin of a service, like http:\/\/127\.0\.0\.1/i)
          .and.not.include("secret");
        expect(code, url).to.equal(1);
      }
    });

  describe("with https:// at a port without TLS", () => {
    const server = useEach(async () => {
      const plain = createServer().listen(0, "127.0.0.1");
      await once(plain, "listening");
      const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;
      return { url, close: async () => void plain.close() };
    });

    it("leads to an error that suggests http://", async () => {
      const client = createClient({ baseUrl: server.url, retry: { retries: 0 } });
      const error = await client.games.catalog({}).catch((thrown: unknown) => thrown);
      expect(String(error)).to.include("is it http:// there, without TLS?");
      const { output } = await AGENTS[0]!.run(server.url);
      expect(output).to.include("is it http:// there, without TLS?");
    });
  });
});
