import { expect } from "chai";
import { EMPTY_PAGE, RenderedPages } from "../../backend/http/site/rendered-pages.ts";

describe("the pages that the service renders", () => {
  let nowMs: number;
  let rendered: string[];
  let pages: RenderedPages;
  beforeEach(() => {
    nowMs = 0;
    rendered = [];
    pages = new RenderedPages(
      async ({ href }) => {
        rendered.push(href);
        return { html: `${href} at ${nowMs}`, values: {} };
      },
      () => nowMs,
    );
  });
  const get = (path: string) => pages.get(new URL(path, "http://arcade.example"));

  it("are rendered once a second for each address, also for requests at the same time", async () => {
    const [one, other] = await Promise.all([get("/"), get("/")]);
    expect(one).to.equal(other);
    nowMs = 999;
    expect(await get("/")).to.equal(one);
    expect(await get("/?page=2")).to.not.equal(one);
    nowMs = 1_000;
    expect(await get("/")).to.not.equal(one);
    expect(rendered).to.have.length(3);
  });

  it("are sent empty above twenty addresses a second, and rendered again as time passes", async () => {
    for (let page = 0; page < 20; page++) expect(await get(`/?page=${page}`)).to.not.equal(EMPTY_PAGE);
    expect(await get("/?page=20")).to.equal(EMPTY_PAGE);
    expect(await get("/?page=19"), "one that is kept").to.not.equal(EMPTY_PAGE);
    nowMs = 49;
    expect(await get("/?page=20")).to.equal(EMPTY_PAGE);
    nowMs = 50;
    expect(await get("/?page=20")).to.not.equal(EMPTY_PAGE);
    expect(await get("/?page=21")).to.equal(EMPTY_PAGE);
  });
});
