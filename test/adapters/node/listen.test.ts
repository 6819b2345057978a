import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";

/** More than Node lets wait by default, 511. */
const CONNECTIONS = 600;

describe("listening", () => {
  let server: ChildProcess;
  let sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.kill("SIGKILL");
    await once(server, "exit");
  });

  it("600 connections wait for a process that accepts none", async () => {
    server = fork(new URL("listening-process.ts", import.meta.url));
    const [port] = (await once(server, "message")) as [number];
    server.kill("SIGSTOP");
    sockets = Array.from({ length: CONNECTIONS }, () => connect(port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    expect(sockets.filter(({ readyState }) => readyState === "open")).to.have.length(CONNECTIONS);
  });
});
