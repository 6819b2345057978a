import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { openAddress, openFolder } from "../../scripts/verify/replay-sources.ts";

const HASH = `0x${"ab".repeat(32)}` as const;
const MEBIBYTE = 1024 * 1024;

describe("replays of a folder", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-replays-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const list = async () =>
    (await (await openFolder(folder)).listOthers(new Set())).map(({ origin, replay, problems }) => ({
      name: origin.slice(folder.length + 1),
      replay,
      received: problems[0]!.received,
    }));

  it("are reported if they are unreadable, not files, or not text, without ending the command", async () => {
    await mkdir(join(folder, "a-folder.json"));
    await writeFile(join(folder, "deep.json"), `{"v":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    await writeFile(join(folder, "index.json.gz"), "no gzip");
    await mkdir(join(folder, "index.json"));
    const found = await list();
    expect(found.map(({ name, replay }) => ({ name, replay }))).to.deep.equal(
      ["a-folder.json", "deep.json", "index.json.gz"].map((name) => ({ name, replay: null })),
    );
    expect(found[0]!.received).to.include("is not a file");
    expect(found[1]!.received).to.equal("a value that is not JSON");
  });

  it("are not unpacked beyond the size of a replay", async () => {
    await writeFile(join(folder, "bomb.json.gz"), gzipSync(Buffer.alloc(64 * MEBIBYTE + 1, "0")));
    const [{ replay, received } = { replay: null, received: "" }] = await list();
    expect(replay).to.equal(null);
    expect(received).to.match(/larger than 67108864 bytes/);
  });

  it("are not read beyond the size of a replay", async () => {
    await writeFile(join(folder, "long.json"), Buffer.alloc(64 * MEBIBYTE + 1, "0"));
    expect((await list())[0]!.received).to.include("is too large");
  });
});

describe("replays of an address", () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url !== `/${HASH}`) {
        response.writeHead(404).end();
        return;
      }
      const chunk = Buffer.alloc(MEBIBYTE, "0");
      const send = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", send);
      send();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it("are not read beyond the size of a replay", async () => {
    const source = await openAddress(url);
    const error = await source.find(HASH).catch((error: unknown) => error);
    expect(error).to.have.property("message").that.includes("is too large");
  });
});
