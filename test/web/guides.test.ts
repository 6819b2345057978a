import { readFileSync } from "node:fs";
import { expect } from "chai";
import { GUIDES } from "../../domain/guides.ts";
import { renderGuide } from "../../web/docs/render-guide.ts";

describe("the guides on the site", () => {
  const guides = new Map(
    Object.keys(GUIDES).map((name) => [
      name,
      renderGuide(readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8")),
    ]),
  );

  it("become HTML, with boxes that can be scrolled with the keyboard", () => {
    const text =
      '# Where do I *change* …\n\n<!-- note -->\n\n| a | b |\n|---|---|\n| `x \\| y` | 2 |\n\n```json\n{ "<": 1 }\n```';
    expect(renderGuide(text).replaceAll("\n", "")).to.equal(
      '<h1 id="where-do-i-change">Where do I <em>change</em> …</h1>' +
        '<div class="table-box" tabindex="0"><table class="table"><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
        "<tbody><tr><td><code>x | y</code></td><td>2</td></tr></tbody></table></div>" +
        '<pre tabindex="0"><code>{ &quot;&lt;&quot;: 1 }</code></pre>',
    );
  });

  it("show HTML in their text as text", () => {
    expect(renderGuide("a <img src=x onerror=y>\n\n<script>z</script>")).to.not.match(/<(?:img|script)/);
  });

  it("link only to pages of the site, and show other links as text", () => {
    expect(renderGuide("[a](games.md#score) [b](errors.md) [c](https://d.example/) [e](../backend/app.ts)")).to.equal(
      '<p><a href="/docs/guides/games#score">a</a> <a href="/docs/errors">b</a> <a href="https://d.example/">c</a> e</p>\n',
    );
  });

  for (const [name, html] of guides)
    it(`have no dead link and no Markdown syntax in ${name}`, () => {
      expect(html).to.match(/^<h1 id="/);
      const prose = html.replaceAll(/<code>[\s\S]*?<\/code>/g, "");
      expect(prose).to.not.match(/```|\*\*|^\||^#|^- |<!--/m);
      for (const [, target = "", anchor] of html.matchAll(/<a href="([^"#]*)(?:#([^"]*))?"/g)) {
        const guide = target === "" ? name : /^\/docs\/guides\/(.+)$/.exec(target)?.[1];
        if (guide === undefined || anchor === undefined) continue;
        expect(guides.get(guide), `${target}#${anchor}`).to.include(` id="${anchor}"`);
      }
    });
});
