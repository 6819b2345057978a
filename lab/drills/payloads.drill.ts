/**
 * K3: names, profiles, metadata and mail addresses that contain scripts, on every page of the site in a real browser,
 * with a trap host to which all their URLs point. What must hold: no payload runs or becomes an element, and neither a
 * page nor the backend contacts another host.
 */
import { createServer, type Server } from "node:net";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { registerAgent } from "../../client/index.ts";
import { toSitePath } from "../../domain/site.ts";
import { sendCall } from "../../test/http/support/on-chain.ts";
import { launchBrowser, openPage } from "../../test/web/support/browser.ts";
import { GAME_VIEWS, type SiteView, WALLET_VIEWS } from "../../test/web/support/site-views.ts";
import { openSiteWorld, type SiteWorld } from "../../test/web/support/site-world.ts";
import { addEndedSession, withStore } from "../../testing/ended-session.ts";
import { createPlayer, type Player } from "../../testing/player.ts";
import { createRandom, IS_SELF_TEST, printFigures, SEED, scaleCount, waitUntil } from "./support/drill.ts";
import { NAME_PAYLOADS, PAYLOAD_CALL, toDescriptions } from "./support/payloads.ts";

const SLUG = "shellrunners";
const ABI = parseAbi(["function setAgentURI(uint256 agentId, string newURI)"]);
const AGENTS = Math.min(NAME_PAYLOADS.length, scaleCount(NAME_PAYLOADS.length));

interface Hostile {
  readonly player: Player;
  readonly agentId: string;
  readonly name: string;
}

/** Shuffled by the seed, so that short runs cover different payloads and pages. */
function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const keyed = list.map((value) => ({ value, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}

/** Describes what a payload has become in a page. Runs in the page. */
function listInjected(call: string): string[] {
  const found: string[] = [];
  if ((globalThis as { isPwned?: boolean }).isPwned === true) found.push("a payload was executed");
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      const isHandler = name.startsWith("on");
      const isAddress = ["href", "src", "srcdoc", "action", "data", "formaction", "style"].includes(name);
      if (isHandler || (isAddress && /javascript:/i.test(value)))
        found.push(`<${element.localName} ${name}="${value.slice(0, 60)}">`);
    }
    const isScript = element.localName === "script" && !/json/.test(element.getAttribute("type") ?? "");
    if (isScript && element.textContent?.includes(call)) found.push("a script of a payload");
  }
  return found;
}

/** Injected fault: the viewer treats text as markup. */
function takeTextAsMarkup(): void {
  document.createTextNode = (text) => {
    const holder = document.createElement("span");
    holder.innerHTML = String(text);
    return holder as unknown as Text;
  };
}

describe("K3: payloads in names, profiles and metadata", function () {
  this.timeout(1_200_000);
  const random = createRandom(SEED);
  const asked: string[] = [];
  let trap: Server;
  let trapUrl: string;
  let world: SiteWorld;
  let browser: Browser;
  const agents: Hostile[] = [];

  before(async () => {
    // Any connection counts as a request, whatever the protocol.
    trap = createServer((socket) => {
      asked.push(`${socket.remoteAddress}:${socket.remotePort}`);
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    trapUrl = `https://127.0.0.1:${(trap.address() as { port: number }).port}`;
    world = await openSiteWorld();
    const names = shuffle(NAME_PAYLOADS, random).slice(0, AGENTS);
    for (const [index, name] of names.entries()) agents.push(await addHostile(name, index));
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
    trap?.close();
  });

  /** An agent whose texts are all payloads and whose URLs all point to the trap. It has a run that counts. */
  async function addHostile(name: string, index: number): Promise<Hostile> {
    const descriptions = toDescriptions(trapUrl);
    const description = descriptions[index % descriptions.length]!;
    const services = [{ name: name.slice(0, 32), endpoint: `${trapUrl}/service` }];
    const image = `${trapUrl}/image.svg`;
    const player = await createPlayer(world.stack);
    const { client, address } = player;
    const { agentId } = await registerAgent({ client, agentName: name, description, image, services });
    await client.identity.profileUpsert({ bio: description, links: [`${trapUrl}/link`], image, services });
    const row = await addEndedSession(world.stack, {
      wallet: address,
      slug: SLUG,
      minScore: 10 + index,
      agentName: name,
    });
    await withStore(world.stack, ({ sessions }) => sessions.setVerification(row.sessionId, "verified"));
    if (index % 4 === 0) await setAgentUri(player, agentId, `${trapUrl}/registration.json?${encodeURIComponent(name)}`);
    return { player, agentId, name };
  }

  /** Without the service: points the registration to the trap. */
  const setAgentUri = (player: Player, agentId: string, uri: string): Promise<Hex> =>
    sendCall(player, {
      to: world.stack.deployment.identity,
      data: encodeFunctionData({ abi: ABI, functionName: "setAgentURI", args: [BigInt(agentId), uri] }),
    });

  async function open(): Promise<{ readonly page: Page; readonly problems: string[] }> {
    const origins = [world.url, new URL(world.stack.chain.rpcUrl).origin];
    const problems: string[] = [];
    const opened = await openPage(browser, "about:blank", origins, {}, problems);
    opened.page.on("dialog", (dialog) => {
      problems.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await opened.page.addInitScript(() => {
      Object.assign(globalThis, {
        pwn: () => Object.assign(globalThis, { isPwned: true }),
      });
    });
    if (IS_SELF_TEST) await opened.page.addInitScript(takeTextAsMarkup);
    return { page: opened.page, problems };
  }

  /** Opens a page, and returns what a payload has become in it. */
  async function look(what: string, lead: (page: Page) => Promise<unknown>, breaches: string[]): Promise<void> {
    const { page, problems } = await open();
    try {
      await lead(page);
    } catch (error) {
      breaches.push(`${what}: did not open (${String(error).split("\n")[0]})`);
    }
    const injected = await page.evaluate(listInjected, PAYLOAD_CALL);
    breaches.push(...[...problems, ...injected].map((text) => `${what}: ${text}`));
    await page.context().close();
  }

  it("an agent's pages and pictures show every payload as plain text", async () => {
    const breaches: string[] = [];
    for (const { agentId, name, player } of agents) {
      await look(
        name,
        async (page) => {
          await page.goto(world.url + toSitePath("agent", { id: agentId }));
          await page.locator(".tile img, .token-card img, h1").first().waitFor();
          await page.waitForFunction((text) => document.body.textContent?.includes(text), name);
        },
        breaches,
      );
      const picture = `/api/metadata/identity/${player.address}.svg`;
      await look(`picture of ${name}`, (page) => page.goto(world.url + picture), breaches);
    }
    printFigures({ agents: agents.length, breaches: breaches.length });
    expect(breaches).to.deep.equal([]);
  });

  it("the other pages of the site show every payload as plain text", async () => {
    const views: readonly SiteView[] = [...GAME_VIEWS, ...WALLET_VIEWS];
    const chosen = shuffle(views, random).slice(0, scaleCount(views.length));
    const breaches: string[] = [];
    for (const { name, open: lead } of chosen) await look(name, (page) => lead(page, world), breaches);
    printFigures({ pages: chosen.length, breaches: breaches.length });
    expect(breaches).to.deep.equal([]);
  });

  it("the newsletter and the events accept payloads, or reject them with a code", async () => {
    const counts: { [status: string]: number } = {};
    for (const text of [...NAME_PAYLOADS, ...toDescriptions(trapUrl)]) {
      const mails = [text, `"${text}"@example.org`, `a+${encodeURIComponent(text)}@example.org`];
      const requests = [
        ...mails.map((email) => ["/api/newsletter/subscribe", { email }] as const),
        ["/api/events/track", { event: text.slice(0, 64), metadata: { text } }] as const,
      ];
      for (const [path, body] of requests) {
        const response = await world.stack.request("POST", path, { body });
        counts[response.status] = (counts[response.status] ?? 0) + 1;
        expect(response.status, `${path} ${text}`).to.be.below(500);
        if (response.status >= 400) expect(response.body.code, `${path} ${text}`).to.be.a("string");
      }
    }
    printFigures({ answers: JSON.stringify(counts) });
  });

  it("the backend has sent no request to their addresses", async () => {
    await waitUntil("every block is stored", async () => {
      const { body } = await world.stack.request("GET", "/status");
      return body.chain.healthy && body.chain.lagBlocks === 0;
    });
    // Metadata documents are made on demand.
    for (const { player } of agents) {
      const { profile } = await player.client.identity.profileGet({ walletAddress: player.address });
      expect(profile!.image).to.equal(`${trapUrl}/image.svg`);
    }
    printFigures({ "requests to the trap": asked.length });
    expect(asked).to.deep.equal([]);
  });
});
