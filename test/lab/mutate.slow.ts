import { expect } from "chai";
import { findInvalidMutants, readSources } from "../../lab/mutate/compile.ts";
import { BASE_GAS_LIMIT, prepareMutants } from "../../lab/mutate/render.ts";

describe("npm run lab -- mutate", () => {
  const { interfaces, sources } = readSources();
  const { mutants, write } = prepareMutants(sources);
  const whole = [...write(new Set()).values()].join("\n");

  it("puts each mutant behind its own switch", () => {
    for (const { id, before } of mutants) {
      expect(whole.split(String(BASE_GAS_LIMIT + id)), `${id}: ${before}`).to.have.length.of.at.least(2);
    }
    expect(mutants).to.have.length.above(1_000);
  });

  it("changes operators, literals, conditions, arguments, results, modifiers, statements and assembly", () => {
    const kinds = new Set(mutants.map(({ kind }) => kind));
    expect([...kinds].sort()).to.deep.equal([
      "branch",
      "condition",
      "deleted statement",
      "literal",
      "operator",
      "other modifier",
      "removed modifier",
      "return",
      "swapped arguments",
    ]);
    const inAssembly = mutants.filter(({ before }) => before.startsWith("mstore("));
    expect(inAssembly).to.have.length.above(5);
  });

  it("finds the few mutants that do not compile", () => {
    const rejected = findInvalidMutants(interfaces, write);
    expect(rejected.size).to.be.below(mutants.length / 100);
    const written = [...write(rejected).values()].join("\n");
    for (const id of rejected) expect(written).not.to.include(String(BASE_GAS_LIMIT + id));
  });

  it("keeps every guarded function's check while no mutant is active", () => {
    const guarded = sources.flatMap(({ content }) => [
      ...content.matchAll(/\b(onlyRole\(\w+\)|onlyGuardianOrAdmin) \{/g),
    ]);
    const switched = [...whole.matchAll(/switched_only\w+\((?:DEFAULT_ADMIN_ROLE, )?\d+, \d+\) \{/g)];
    expect(switched).to.have.length(guarded.length);
    expect(guarded).to.have.length.above(10);
  });
});
