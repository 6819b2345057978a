/**
 * Writes all mutants of a source into one text, each behind a switch: the block's gas limit, which a test network is
 * given in its configuration, names the mutant that is alive. So the contracts are compiled once, not once per mutant.
 */

import { findAll, type Node, node, type Range, rangeOf, text, typeOf } from "./ast.ts";
import type { Change } from "./operators.ts";
import { constantsInAssembly, constantsOf, type Point, pointsOf } from "./points.ts";

/** The gas limit at which no mutant is alive; mutant N lives at this plus N. */
export const BASE_GAS_LIMIT = 1_000_000_000;

export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  /** Function or constant it stands in. */
  readonly place: string;
  readonly kind: string;
  readonly before: string;
  readonly after: string;
}

export interface Source {
  readonly file: string;
  readonly content: string;
  readonly ast: Node;
}

interface Edit extends Range {
  /** Gets the text between with the edits inside it made. */
  readonly write: (inner: string) => string;
}

const isAlive = (id: number): string => `block.gaslimit == ${BASE_GAS_LIMIT + id}`;
const YUL_SELECT =
  " function mutant_(id, put, kept) -> taken { taken := kept if eq(gaslimit(), id) { taken := put } } ";

/** The modifiers of the contracts with their check behind switches: nothing, another check, their own. */
const SWITCHED_MODIFIERS = `
    modifier switched_onlyRole(bytes32 role, uint256 none, uint256 other) {
        if (block.gaslimit == none) {} else if (block.gaslimit == other) _checkGuardianOrAdmin(); else _checkRole(role);
        _;
    }

    modifier switched_onlyGuardianOrAdmin(uint256 none, uint256 other) {
        if (block.gaslimit == none) {} else if (block.gaslimit == other) _checkRole(DEFAULT_ADMIN_ROLE);
        else _checkGuardianOrAdmin();
        _;
    }
`;

/** Makes edits that lie inside or beside each other, never across. Outer ones come first where two are the same. */
function applyEdits(content: string, range: Range, edits: readonly Edit[]): string {
  const inside = edits
    .filter(({ start, end }) => start >= range.start && end <= range.end)
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || b.edit.end - a.edit.end || a.order - b.order)
    .map(({ edit }) => edit);
  let [out, at] = ["", range.start];
  for (let index = 0; index < inside.length; ) {
    const edit = inside[index]!;
    let next = index + 1;
    while (next < inside.length && inside[next]!.end <= edit.end && inside[next]!.start < edit.end) next += 1;
    out += content.slice(at, edit.start) + edit.write(applyEdits(content, edit, inside.slice(index + 1, next)));
    [at, index] = [edit.end, next];
  }
  return out + content.slice(at, range.end);
}

function writePoint(point: Point, ids: readonly number[]): (inner: string) => string {
  const each = point.changes.map((change, index) => ({ ...change, id: ids[index]! })).filter(({ id }) => id > 0);
  if (each.length === 0) return (inner) => inner;
  switch (point.form) {
    case "expression":
      return (inner) =>
        `${point.cast}(${each.reduceRight((rest, { id, put }) => `(${isAlive(id)} ? (${put}) : ${rest})`, `(${inner})`)})`;
    case "statement":
      return (inner) => `{ ${each.map(({ id, put }) => `if (${isAlive(id)}) { ${put} } else `).join("")}{ ${inner} } }`;
    case "modifier":
      return (inner) => {
        const [name, rest = ")"] = inner.split("(");
        const given = rest.slice(0, -1);
        const limits = ids.map((id) => BASE_GAS_LIMIT + id).join(", ");
        return `switched_${name}(${given}${given === "" ? "" : ", "}${limits})`;
      };
    case "yul expression":
      return (inner) =>
        each.reduceRight((rest, { id, put }) => `mutant_(${BASE_GAS_LIMIT + id}, ${put}, ${rest})`, inner);
    case "yul statement":
      return (inner) => `if iszero(eq(gaslimit(), ${BASE_GAS_LIMIT + each[0]!.id})) { ${inner} }`;
  }
}

/** Constants become functions, since a constant cannot ask which mutant is alive. */
function constantEdits(source: Source, converted: ReadonlySet<number>): Edit[] {
  const declared = constantsOf(source.ast)
    .filter(({ id }) => converted.has(Number(id)))
    .map((at): Edit => {
      const { start, end } = rangeOf(at);
      const visibility = at.stateVariable === true ? text(at, "visibility") : "";
      const type = typeOf(at) === "string" ? "string memory" : typeOf(at);
      const head = `function ${text(at, "name")}() ${visibility} view returns (${type}) { return `;
      const value = rangeOf(node(at, "value")).start - start;
      return {
        start,
        end: source.content.indexOf(";", end) + 1,
        // What stands before the value is not edited, so it is as long as it was.
        write: (inner) => `${head}${inner.slice(value)} }`,
      };
    });
  return [...declared, ...referenceEdits(source, converted)];
}

const referenceEdits = (source: Source, converted: ReadonlySet<number>): Edit[] =>
  findAll(source.ast, (at) => at.nodeType === "Identifier" && converted.has(Number(at.referencedDeclaration))).map(
    (at) => ({ ...rangeOf(at), write: (inner) => `${inner}()` }),
  );

/** Where a place is: the function or constant around it. */
function placeOf(source: Source, at: Range): string {
  const holds = (of: Node): boolean => rangeOf(of).start <= at.start && rangeOf(of).end >= at.end;
  const around = findAll(source.ast, (of) => of.nodeType === "FunctionDefinition" && holds(of)).at(-1);
  const constant = constantsOf(source.ast).find(holds);
  const found = around ?? constant;
  if (found === undefined) return "";
  return text(found, "name") || text(found, "kind");
}

const flat = (words: string): string => words.replace(/\s+/g, " ").trim();

/** Numbers the mutants of these sources from 1 on, and answers how to write them all, or all but some. */
export function prepare(sources: readonly Source[]): {
  readonly mutants: readonly Mutant[];
  readonly write: (without: ReadonlySet<number>) => Map<string, string>;
} {
  const fixed = new Set(sources.flatMap(({ ast }) => [...constantsInAssembly(ast)]));
  const converted = new Set(
    sources.flatMap(({ ast }) => constantsOf(ast).map(({ id }) => Number(id))).filter((id) => !fixed.has(id)),
  );
  const mutants: Mutant[] = [];
  const prepared = sources.map((source) => {
    const references = referenceEdits(source, converted);
    const raw = (of: Node): string => applyEdits(source.content, rangeOf(of), references);
    const points = pointsOf(source.ast, raw).map((point) => ({ ...point, ...withSemicolon(source, point) }));
    const numbered = points.map((point) => ({
      point,
      ids: point.changes.map((change) => register(source, point, change)),
    }));
    return { source, numbered };
  });

  function register(source: Source, point: Point, { kind, put }: Change): number {
    const id = mutants.length + 1;
    const before = flat(source.content.slice(point.start, point.end));
    const line = source.content.slice(0, point.start).split("\n").length;
    mutants.push({ id, file: source.file, line, place: placeOf(source, point), kind, before, after: flat(put) });
    return id;
  }

  const write = (without: ReadonlySet<number>): Map<string, string> =>
    new Map(
      prepared.map(({ source, numbered }) => {
        const edits: Edit[] = [
          ...constantEdits(source, converted),
          ...numbered.map(({ point, ids }) => ({
            start: point.start,
            end: point.end,
            write: writePoint(
              point,
              ids.map((id) => (without.has(id) ? -1 : id)),
            ),
          })),
          ...findAll(source.ast, ({ nodeType }) => nodeType === "InlineAssembly").map((at): Edit => {
            const { start } = rangeOf(node(at, "AST"));
            return { start, end: start + 1, write: (inner) => inner + YUL_SELECT };
          }),
        ];
        const written = applyEdits(source.content, { start: 0, end: source.content.length }, edits)
          .replace(/\bpure\b/g, "view")
          .replace(/(abstract contract Guarded [^{]*\{)/, `$1${SWITCHED_MODIFIERS}`);
        return [source.file, written];
      }),
    );
  return { mutants, write };
}

/** A statement's range ends before its semicolon. */
function withSemicolon({ content }: Source, { form, start, end }: Point): Range {
  if (form !== "statement" || content[end - 1] === ";") return { start, end };
  return { start, end: content.indexOf(";", end) + 1 };
}
