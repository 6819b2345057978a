import { expect } from "chai";
import { localize } from "../../backend/http/instructions/instructions.ts";
import { formatInstructions } from "../../backend/http/instructions/markdown.ts";
import { EXAMPLES } from "../../backend/http/routing/examples.ts";
import { useTestStack } from "../helpers/suite.ts";

describe("the agent instructions", () => {
  let text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the steps are walked by name
  let steps: any[];
  const stack = useTestStack();
  before(async () => {
    text = (await stack.request("GET", "/api/agent-instructions", { headers: { Accept: "text/markdown" } })).body;
    steps = (await stack.request("GET", "/api/agent-instructions")).body.steps;
  });

  it("start with the gas that the first transaction needs", async () => {
    expect(steps[0].request).to.include({ method: "POST", path: "/api/dev/faucet" });
    expect(text.indexOf("/api/dev/faucet")).to.be.within(0, text.indexOf("/api/identity/register"));
  });

  it("show the status of each response, and a node only if the service publishes one", async () => {
    const responses = steps.flatMap(({ response }) => response ?? []);
    expect(responses).to.have.length.above(5);
    for (const { status } of responses) expect(status).to.equal(200);
    expect(text).to.include("Response 200:");
    const { body } = await stack.request("GET", "/api/agent-instructions");
    expect(formatInstructions({ ...body, rpcUrl: null })).to.match(/ · chain 31337\n/);
    expect(formatInstructions({ ...body, rpcUrl: "http://a" })).to.match(/ · chain 31337 · RPC http:\/\/a\n/);
  });

  it("have the name of their namespace, and only its steps", async () => {
    const all = (await stack.request("GET", "/api/agent-instructions")).body;
    expect(all.namespace).to.equal("all");
    for (const [path, namespace] of [
      ["identity", "identity"],
      ["games/flappybots", "games"],
      ["rewards", "rewards"],
      ["market", "market"],
    ] as const) {
      const { body } = await stack.request("GET", `/api/${path}/agent-instructions`);
      expect(body.namespace).to.equal(namespace);
      const own = all.steps.filter((step: { readonly namespace: string }) => step.namespace === namespace);
      expect(body.steps.map(({ title }: { title: string }) => title)).to.deep.equal(
        own.map(({ title }: { title: string }) => title),
      );
      expect(own).to.not.be.empty;
    }
  });

  it("have this service's address in their examples, and no other port", () => {
    const { host } = new URL(stack.httpUrl);
    expect(text).to.include(`ws://${host}/ws/`);
    expect(JSON.stringify(steps)).to.include(`http://${host}/api/metadata`);
    for (const content of [text, JSON.stringify(steps)]) expect(content).to.not.match(/127\.0\.0\.1:4100(?!\d)/);
  });

  it("have the address of a service whose port starts with the digits of the default one", () => {
    const { baseUrl, wsUrl } = EXAMPLES;
    const own = { publicUrl: () => "http://127.0.0.1:41007", wsUrl: () => "ws://127.0.0.1:41007" };
    expect(localize([`${baseUrl}/api`, `${wsUrl}/ws`, "at 127.0.0.1:4100"], own)).to.deep.equal([
      "http://127.0.0.1:41007/api",
      "ws://127.0.0.1:41007/ws",
      "at 127.0.0.1:41007",
    ]);
  });

  it("have the limit of a snapshot, the token's symbol and the time that a session waits for its player", async () => {
    const { token } = (await stack.request("GET", "/api/tokenomics/summary")).body;
    expect(JSON.stringify(steps)).to.include(`"symbol":"${token.symbol}"`);
    expect(text).to.include("adds the score, up to the contract's maximum for one session, to your scorebank");
    const heartbeat = steps.find(({ request }) => request?.path.endsWith("/heartbeat"));
    expect(heartbeat.response.body).to.include({ phase: "ready", expiresInSeconds: 120 });
  });

  it("show a frame of the game, and where its fields are described", async () => {
    for (const slug of ["shellrunners", "flappybots"]) {
      const { body } = await stack.request("GET", `/api/games/${slug}/agent-instructions`);
      // biome-ignore lint/suspicious/noExplicitAny: the steps are walked by name
      const play = body.steps.find(({ acts }: any) => acts.some(({ act }: any) => act === "play"));
      expect(play.frame).to.include({ v: 1, slug, phase: "running" });
      expect(play.frame.tick).to.be.greaterThan(10);
      expect(play.frame.entities).to.have.length.within(1, 3);
      const { game } = (await stack.request("GET", `/api/games/${slug}`)).body;
      const described = new Set([...Object.keys(game.frameSchema.fields), ...Object.keys(game.frameSchema)]);
      const common = [
        "v",
        "sessionId",
        "slug",
        "tick",
        "tMs",
        "phase",
        "score",
        "lives",
        "livesMax",
        "hunger",
        "hungerMax",
        "inputsDigest",
      ];
      for (const field of Object.keys(play.frame))
        expect([...described, ...common, "spectators"], field).to.include(field);
    }
    expect(text).to.include('{"t":"frame","frame":{').and.include("GET /api/games/{slug}");
  });

  it("are short, and hold no filler bytes", () => {
    expect(Buffer.byteLength(text)).to.be.lessThan(20_000);
    for (const content of [text, JSON.stringify(steps)]) expect(content).to.not.match(/(?:5a){8}|(?:ab){8}/);
  });
});
