/** Kept responses below JSON: headers, HEAD, conditional requests, pipelining, header floods, lost sockets. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import { routes } from "../../../backend/http/routes/index.ts";
import type { Route } from "../../../backend/http/routing/route.ts";
import { StillClock } from "../../helpers/still-clock.ts";
import { startTestStack, type TestStack } from "../../helpers/suite.ts";

const SLUG = "shellrunners";
const REQUEST_ID = "0190f1d5-7c4e-7abc-8def-0123456789ab";
/** A path with a parameter's value. */
const paths = (routes as readonly Route[])
  .filter(({ kept }) => kept !== undefined)
  .map(({ path }) => path.replaceAll("{slug}", SLUG));

interface RawResponse {
  readonly status: number;
  /** By name in lower case, in the order of the response. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection whose responses are read as they arrive. */
class RawConnection {
  readonly socket: Socket;
  #received = "";
  #isClosed = false;
  /** Wakes the reader that waits for more bytes or for the end of the connection. */
  #wakeReader = (): void => undefined;

  constructor(httpUrl: string) {
    this.socket = connect(Number(new URL(httpUrl).port), "127.0.0.1");
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => {
      this.#received += text;
      this.#wakeReader();
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#wakeReader();
    });
  }

  send(method: string, path: string, headers: { readonly [name: string]: string } = {}): void {
    const lines = Object.entries({ Host: "arcade.example", ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  }

  /** `isBodyless`: the response to HEAD. */
  async read(isBodyless = false): Promise<RawResponse> {
    for (;;) {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end >= 0) {
        const [line, ...fields] = this.#received.slice(0, end).split("\r\n");
        const headers = new Map(fields.map((field) => [field.split(": ")[0]!.toLowerCase(), field.split(": ")[1]!]));
        const status = Number(line!.split(" ")[1]);
        const length = isBodyless || status === 304 ? 0 : Number(headers.get("content-length") ?? 0);
        if (this.#received.length >= end + 4 + length) {
          const body = this.#received.slice(end + 4, end + 4 + length);
          this.#received = this.#received.slice(end + 4 + length);
          return { status, headers, body };
        }
      }
      if (this.#isClosed) throw new Error(`the connection is closed after ${this.#received.slice(0, 200)}`);
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  async ask(method: string, path: string, headers = {}): Promise<RawResponse> {
    this.send(method, path, headers);
    return await this.read(method === "HEAD");
  }
}

/** Without the parts that always differ between responses. */
function toComparable({ status, headers, body }: RawResponse) {
  const varying = new Set(["date", "ratelimit"]);
  return { status, body, headers: [...headers].filter(([name]) => !varying.has(name)).sort() };
}

describe("a client of kept responses", () => {
  const clock = new StillClock();
  let stack: TestStack;
  let connection: RawConnection;
  before(async () => {
    const env = { ARCADE_RATE_LIMITS: "on", ARCADE_TRUST_PROXY: "true" };
    stack = await startTestStack({ env, clock });
  });
  after(() => stack.close());
  beforeEach(async () => {
    connection = new RawConnection(stack.httpUrl);
    await once(connection.socket, "connect");
  });
  afterEach(() => connection.socket.destroy());

  it("gets the same bytes and headers from every route, from a ready or new response or from Express", async () => {
    for (const [n, path] of paths.entries()) {
      const headers = { "X-Request-Id": REQUEST_ID, "X-Forwarded-For": `10.1.0.${n}` };
      const made = toComparable(await connection.ask("GET", path, headers));
      expect(made.status, path).to.equal(200);
      expect(toComparable(await connection.ask("GET", path, headers)), `${path} ready`).to.deep.equal(made);
      // Only Express's router finds another spelling of the same path.
      expect(toComparable(await connection.ask("GET", `${path}/`, headers)), `${path}/`).to.deep.equal(made);
    }
  });

  it("gets the headers of GET for HEAD, and 304 for its tag, from every route", async () => {
    for (const [n, path] of paths.entries()) {
      const encoding = n % 2 === 0 ? "br" : "identity";
      const headers = { "X-Request-Id": REQUEST_ID, "X-Forwarded-For": `10.2.0.${n}`, "Accept-Encoding": encoding };
      const whole = toComparable(await connection.ask("GET", path, headers));
      const head = toComparable(await connection.ask("HEAD", path, headers));
      expect(head, path).to.deep.equal({ ...whole, body: "" });
      const tag = new Map(whole.headers).get("etag")!;
      const unchanged = await connection.ask("GET", path, { ...headers, "If-None-Match": tag });
      expect([unchanged.status, unchanged.headers.get("etag")], path).to.deep.equal([304, tag]);
      const changed = await connection.ask("GET", path, { ...headers, "If-None-Match": '"another"' });
      expect(toComparable(changed), path).to.deep.equal(whole);
    }
  });

  it("gets an error for every malformed query, and then the right response on the same connection", async () => {
    const headers = { "X-Forwarded-For": "10.3.0.1" };
    for (const query of ["limit=none", "limit=1&limit=2", "unknown=1", "limit=1e3"]) {
      for (let count = 0; count < 2; count += 1) {
        const { status, body } = await connection.ask("GET", `/api/leaderboard?${query}`, headers);
        expect(status, query).to.equal(400);
        expect(JSON.parse(body), query).to.include({ ok: false, status: 400 });
      }
      expect((await connection.ask("GET", "/api/leaderboard?limit=1", headers)).status, query).to.equal(200);
    }
  });

  it("is limited by its address, ready or not, without affecting other addresses", async () => {
    const ask = (address: string) => {
      // Slower than the limit on all requests of an address, but faster than the route's.
      clock.advance(20);
      return connection.ask("GET", "/api/games/catalog", { "X-Forwarded-For": address, "X-Request-Id": REQUEST_ID });
    };
    const remaining = (response: RawResponse) => Number(/r=(\d+)/.exec(response.headers.get("ratelimit")!)![1]);
    const statuses: number[] = [];
    let last = remaining(await ask("10.4.0.1"));
    for (let count = 0; count < 400 && statuses.at(-1) !== 429; count += 1) {
      const response = await ask("10.4.0.1");
      statuses.push(response.status);
      if (response.status === 200) {
        expect(remaining(response)).to.be.at.most(last);
        last = remaining(response);
      } else {
        expect(JSON.parse(response.body)).to.include({ code: "RATE_LIMITED", requestId: REQUEST_ID });
        // The route's bucket, not the one for all requests of an address.
        expect(response.headers.get("ratelimit")).to.match(/^"read";r=0;/);
      }
    }
    expect(statuses.at(-1), "the last one").to.equal(429);
    expect(last).to.equal(0);
    connection = new RawConnection(stack.httpUrl);
    expect((await ask("10.4.0.2")).status).to.equal(200);
  });

  it("gets pipelined responses in order", async () => {
    await connection.ask("GET", "/api/games/catalog", { "X-Forwarded-For": "10.5.0.1" });
    const asked = [
      "/api/games/catalog",
      "/api/leaderboard?limit=7",
      "/api/games/catalog",
      "/nothing",
      "/api/games/catalog",
    ];
    connection.socket.cork();
    for (const [n, path] of asked.entries())
      connection.send("GET", path, { "X-Request-Id": `request-${n}`, "X-Forwarded-For": "10.5.0.1" });
    connection.socket.uncork();
    for (const [n, path] of asked.entries()) {
      const { status, headers } = await connection.read();
      expect([headers.get("x-request-id"), status], path).to.deep.equal([
        `request-${n}`,
        path === "/nothing" ? 404 : 200,
      ]);
    }
  });

  it("gets an error for headers that are too large, on a connection that has been used before", async () => {
    expect((await connection.ask("GET", "/api/games/catalog")).status).to.equal(200);
    const { status, body } = await connection.ask("GET", "/api/games/catalog", { "X-Filler": "x".repeat(20_000) });
    expect(status).to.equal(400);
    expect(JSON.parse(body).code).to.equal("BAD_REQUEST");
  });

  it("may close its connections at any moment: others are served, and nothing is left", async () => {
    const lost = Array.from({ length: 40 }, () => new RawConnection(stack.httpUrl));
    await Promise.all(lost.map(({ socket }) => once(socket, "connect")));
    for (const [n, { socket }] of lost.entries()) {
      const text = `GET /api/games/catalog HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.6.0.${n}\r\n\r\n`;
      socket.write(text.slice(0, n % 2 === 0 ? text.length : 30), () => socket.destroy());
    }
    await Promise.all(lost.map(({ socket }) => (socket.closed ? null : once(socket, "close"))));
    for (let count = 0; count < 3; count += 1)
      expect((await connection.ask("GET", "/api/games/catalog", { "X-Forwarded-For": "10.6.1.1" })).status).to.equal(
        200,
      );
  });
});
