/** The league's pages: the table, the check in the browser, a match, and the editor. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { openEngine } from "../../backend/adapters/policies/engine-file.ts";
import type { Round } from "../../domain/league/round.ts";
import { createAgent } from "../../testing/player.ts";
import { playRound } from "../adapters/policies/league-round.ts";
import { addPlayedRound } from "../helpers/played-round.ts";
import { useSiteBrowser } from "./site-browser.ts";
import { findAxeFaults } from "./support/axe.ts";
import { getPictureHash, waitUntil } from "./support/browser.ts";

const SLUG = "flappybots";
const PATH = `/league/${SLUG}`;
const ENGINE = /policy-worker|\.wasm/;

describe("the league's pages", () => {
  const site = useSiteBrowser();
  let round: Round;
  before(async () => {
    round = await playRound(openEngine(), 5, 4, 300);
    await addPlayedRound(site.stack, round);
  });

  /** A page whose service sends another file of the round. */
  async function open(path: string, changed: Round | null = null): Promise<Page> {
    const page = await site.open("/docs/errors");
    if (changed !== null) await page.route("**/api/league/*/seasons/*", (route) => route.fulfill({ json: changed }));
    await page.goto(site.stack.httpUrl + path);
    return page;
  }

  const startCheck = (page: Page) => page.getByRole("button", { name: "Check the round in this browser" }).click();

  it("show the table with its intervals, and what beat what leads to the match", async () => {
    const page = await site.open(PATH, { viewport: { width: 390, height: 844 } });
    const rows = page.locator(".table:has(.rating) tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).to.equal(round.ratings.length);
    const [first] = round.ratings;
    expect(await rows.first().innerText())
      .to.include(String(first!.rating))
      .and.include(`${first!.wins}/${first!.ties}/${first!.losses}`);
    expect(await rows.first().textContent()).to.include(`95 %: ${first!.low} to ${first!.high}`);
    const [thinker] = round.thinkers;
    const board = page.getByRole("group", { name: "Thinkers of season 1" }).locator("tbody tr");
    const cells = await board.locator("td").allInnerTexts();
    expect(cells.map((text) => text.trim())).to.deep.equal(
      [1, `Agent #${thinker!.agentId}`, thinker!.points, 1, 4].map(String),
    );
    expect(await findAxeFaults(page)).to.deep.equal([]);
    await site.shoot(page, "league-390-light");
    await page.setViewportSize({ width: 360, height: 740 });
    const name = rows.getByText("Reference bot");
    const lines = await name.evaluate(({ firstChild }) => {
      const word = document.createRange();
      word.setStart(firstChild!, 0);
      word.setEnd(firstChild!, "Reference".length);
      return word.getClientRects().length;
    });
    expect(lines, "lines of one word").to.equal(1);
    expect(site.requests.filter((request) => ENGINE.test(request))).to.deep.equal([]);
    await page.locator(".matrix tbody tr").first().getByRole("link").first().click();
    await page.locator(".match-scores li").first().waitFor();
    expect(new URL(page.url()).searchParams.get("a")).to.equal(first!.id);
    expect(site.errors).to.deep.equal([]);
  });

  it("are read and followed without scripts", async () => {
    const page = await site.open(PATH, { javaScriptEnabled: false });
    const rows = page.locator(".table:has(.rating) tbody tr");
    expect(await rows.count()).to.equal(round.ratings.length);
    await page.locator('select[name="a"]').selectOption("bot:random");
    await page.getByRole("button", { name: "Compare two policies" }).click();
    const [random] = round.rungs;
    await page.getByRole("link", { name: /^3 / }).click();
    const score = `Random bot: ${random!.runs[2]!.score} points`;
    expect(await page.locator(".match-scores").innerText()).to.include(score);
    const missing = await page.goto(`${site.stack.httpUrl}${PATH}/7`);
    expect(missing!.status()).to.equal(404);
  });

  it("reproduce a round in the browser, and name each score that was changed", async () => {
    const page = await open(PATH);
    await startCheck(page);
    await page.getByText("Reproduced: nothing differs from the file.").waitFor();
    expect(await page.locator(".league-check button:focus").count()).to.equal(1);
    const changed = structuredClone(round);
    changed.policies[1]!.runs[2]!.score += 1;
    changed.rungs[2]!.runs[0]!.score += 1;
    changed.thinkers[0]!.points += 1;
    const other = await open(PATH, changed);
    await startCheck(other);
    await other.getByText(/^It differs in/).waitFor();
    const found = await other.locator(".differences").innerText();
    expect(found).to.include(`${round.policies[1]!.id}, course 2: score`).and.include("bot:reference, course 0: score");
    expect(found).to.include(`points of thinker ${round.thinkers[0]!.id}`);
    expect(found).to.not.include(`${round.policies[0]!.id}, course`);
    expect(site.errors).to.deep.equal([]);
  });

  it("refuse what is not the file of a round, and end a check that is cancelled", async () => {
    const strange = await open(PATH, { ...round, ticksMax: 0 });
    await startCheck(strange);
    await strange.getByText(/^ticksMax: /).waitFor();
    const policies = Array.from({ length: 200 }, (_, index) => ({ ...round.policies[0]!, id: `p${index}` }));
    const page = await open(PATH, { ...round, policies });
    await startCheck(page);
    await page
      .locator(".league-progress")
      .getByText(/^[1-9]\d* of/)
      .waitFor();
    expect(page.workers()).to.not.be.empty;
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled.").waitFor();
    await waitUntil(() => page.workers().length === 0);
  });

  it("show two policies on one course in one picture, and on the others by a link", async () => {
    const [a, b] = [round.policies[0]!, round.policies[4]!];
    const page = await open(`${PATH}/1?a=${a.id}&b=${b.id}&course=2`);
    const scores = page.locator(".match-scores");
    await scores.waitFor();
    expect(await scores.innerText()).to.include(`Agent #0: ${a.runs[1]!.score} points`);
    expect(await scores.innerText()).to.include(`Agent #4: ${b.runs[1]!.score} points`);
    await page.getByRole("button", { name: "Pause" }).click();
    const position = page.getByLabel("Position in the run");
    await position.press("End");
    const outline = page.locator("figcaption").getByText("the dashed outline");
    expect(await outline.innerText()).to.equal(`Agent #4, the dashed outline: ${b.runs[1]!.score}`);
    await page.locator("canvas[data-drawn]").waitFor();
    const atEnd = await getPictureHash(page);
    await position.press("Home");
    await waitUntil(async () => (await getPictureHash(page)) !== atEnd);
    expect(await findAxeFaults(page)).to.deep.equal([]);
    await page.getByRole("link", { name: `3 ${a.runs[2]!.score} : ${b.runs[2]!.score}` }).click();
    await page.getByRole("heading", { name: "On course 3" }).waitFor();
    expect(site.requests.filter((request) => ENGINE.test(request))).to.deep.equal([]);
    expect(site.errors).to.deep.equal([]);
  });

  const openEditor = async (text: string): Promise<Page> => {
    const page = await open(`${PATH}/write`);
    await page.getByLabel("Text of the policy").fill(text);
    return page;
  };
  const tryIt = (page: Page) => page.getByRole("button", { name: "Try the policy on 200 courses" }).click();

  it("try the text of the editor, show its worst moment, and keep it over a reload", async () => {
    const page = await openEditor("(frame) => (frame.tick % 2 ? { t: 'jump' } : null)");
    await page.reload();
    await page.locator("textarea:not([readonly])").waitFor();
    expect(await page.getByLabel("Text of the policy").inputValue()).to.include("'jump'");
    await tryIt(page);
    await page.getByText("No course was forfeited.").waitFor();
    expect(await page.locator(".trial button:focus").count()).to.equal(1);
    expect(await page.locator(".trial").innerText()).to.match(/does not know [\d,]+ moves, such as {"t":"jump"}/);
    await page.getByRole("button", { name: "Watch its worst moment" }).click();
    await page.locator("canvas[data-drawn]").waitFor();
    expect(await findAxeFaults(page)).to.deep.equal([]);
    // Keys of the picture's controls are letters in the text.
    await page.getByLabel("Text of the policy").fill("");
    await page.getByLabel("Text of the policy").pressSequentially("a . b");
    expect(await page.getByLabel("Text of the policy").inputValue()).to.equal("a . b");
    expect(site.errors).to.deep.equal([]);
  });

  it("show the place of a text that does not parse, and of one that throws", async () => {
    const page = await openEditor("(frame) => {\n  return frame.;\n}");
    await tryIt(page);
    await page.getByText("The league would reject this policy:").waitFor();
    await page.getByRole("button", { name: /^line 2, column \d+$/ }).click();
    const place = page.getByLabel("Text of the policy");
    expect(await place.evaluate((box: HTMLTextAreaElement) => box.value.slice(0, box.selectionStart))).to.match(
      /^\(frame\) => {\n +return frame/,
    );
    await place.fill("(frame) => {\n  if (frame.tick > 5) throw new Error('no way');\n  return null;\n}");
    await tryIt(page);
    await page.getByText("Forfeits 200 courses: no way").waitFor();
    await page.getByRole("button", { name: /^line 2, column/ }).waitFor();
  });

  it("submit the text by the wallet, load it again, and show the place of a fault", async () => {
    const { privateKey, client } = await createAgent(site.stack, "Whimbrel");
    const page = await openEditor("(frame) => null");
    await page.evaluate((key) => localStorage.setItem("agent-arcade.development-key", key), privateKey);
    await page.reload();
    await page.getByText(/^The text above takes part in season 2\. You can replace it until/).waitFor();
    await page.getByRole("button", { name: "Use the development wallet" }).click();
    const submit = page.getByRole("button", { name: "Submit" });
    await submit.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Sign/ }).click();
    await page.getByText("Submitted for season 2: 15 bytes with the digest 0x").waitFor();
    expect((await client.league.mine({ slug: SLUG })).policy).to.deep.include({ text: "(frame) => null", season: 2 });
    const text = page.getByLabel("Text of the policy");
    await text.fill("(frame) =>\n  frame..pawn");
    await submit.click();
    await page.getByRole("alert").getByText("line 2, column 9").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Load that text" }).click();
    expect(await text.inputValue()).to.equal("(frame) => null");
    expect(await findAxeFaults(page)).to.deep.equal([]);
    expect(site.errors).to.deep.equal([]);
  });

  it("end a policy that runs out of fuel", async () => {
    const page = await openEditor("() => { for (;;); }");
    await tryIt(page);
    const forfeits = page.getByText(/^Forfeits 200 courses/);
    expect(await forfeits.textContent()).to.include(": more than 200000 units of fuel");
  });

  it("end a worker that does not return, and one that a person cancels, while the page stays alive", async () => {
    const page = await openEditor("() => null");
    const run = { score: 1, ticks: 1, fuel: 0, moves: ".", unknown: null, forfeit: null };
    const body = `onmessage = ({ data }) => {
      postMessage({ kind: "alive" });
      if (data.kind === "policy") for (;;);
      for (const seed of data.courses.seeds) postMessage({ kind: "run", run: ${JSON.stringify(run)} });
      postMessage({ kind: "done", found: [] });
    };`;
    await page.route("**/assets/policy-worker-*.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body }),
    );
    await tryIt(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled.").waitFor();
    await waitUntil(() => page.workers().length === 0);
    await tryIt(page);
    await page.getByLabel("Text of the policy").fill("() => 1");
    await page.getByText("Forfeits 200 courses: The policy did not return and was stopped.").waitFor();
    await waitUntil(() => page.workers().length === 0);
    expect(site.errors).to.deep.equal([]);
  });
});
