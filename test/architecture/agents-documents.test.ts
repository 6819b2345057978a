import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";

const DOCUMENTS = ["AGENTS.md", "docs/agents.md", "docs/training.md"];
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: { readonly [name: string]: string };
};
const FOLDERS = "backend|client|contracts|deploy|docs|examples|scripts|test|tools|web";

describe("the documents for authors", () => {
  for (const document of DOCUMENTS) {
    const text = readFileSync(join(root, document), "utf8");

    it(`${document} names commands that exist`, () => {
      const names = [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name]) => name!);
      const missing = names.filter((name) => scripts[name] === undefined);
      expect(missing).to.deep.equal([]);
    });

    it(`${document} names files and folders that exist`, () => {
      const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path]) => join(dirname(document), path!));
      const paths = [...text.matchAll(new RegExp(`\`((?:${FOLDERS})/[\\w./-]*)\``, "g"))].map(([, path]) => path!);
      const commands = [...text.matchAll(/npm test -- (test\S+\.ts)/g)].map(([, path]) => path!);
      const missing = [...links, ...paths, ...commands].filter((path) => !existsSync(join(root, path)));
      expect(missing).to.deep.equal([]);
      expect(links).to.not.be.empty;
    });
  }
});
