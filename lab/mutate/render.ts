/**
 * Writes all mutants of a source into one text, each behind a switch: the block's gas limit, which a test network is
 * given in its configuration, names the active mutant. So the contracts are compiled once, not once per mutant.
 */

import { findAll, getNode, getRange, getText, getTypeString, type Node, type Range } from "./ast.ts";
import type { Change } from "./operators.ts";
import { findAssemblyConstants, findConstants, findMutationPoints, type MutationPoint } from "./points.ts";

/** The gas limit at which no mutant is active; mutant N is active at this plus N. */
export const BASE_GAS_LIMIT = 1_000_000_000;

export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  /** Function or constant that contains it. */
  readonly scope: string;
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

const toSwitchCondition = (id: number): string => `block.gaslimit == ${BASE_GAS_LIMIT + id}`;
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

/** Applies edits that are nested or disjoint, never overlapping. The outer one comes first where two are the same. */
function applyEdits(content: string, range: Range, edits: readonly Edit[]): string {
  const inside = edits
    .filter(({ start, end }) => start >= range.start && end <= range.end)
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || b.edit.end - a.edit.end || a.order - b.order)
    .map(({ edit }) => edit);
  let out = "";
  let at = range.start;
  for (let index = 0; index < inside.length; ) {
    const edit = inside[index]!;
    let next = index + 1;
    while (next < inside.length && inside[next]!.end <= edit.end && inside[next]!.start < edit.end) next += 1;
    out += content.slice(at, edit.start) + edit.write(applyEdits(content, edit, inside.slice(index + 1, next)));
    at = edit.end;
    index = next;
  }
  return out + content.slice(at, range.end);
}

function createPointWriter(point: MutationPoint, ids: readonly number[]): (inner: string) => string {
  const enabledChanges = point.changes
    .map((change, index) => ({ ...change, id: ids[index]! }))
    .filter(({ id }) => id > 0);
  if (enabledChanges.length === 0) return (inner) => inner;
  switch (point.form) {
    case "expression":
      return (inner) =>
        `${point.cast}(${enabledChanges.reduceRight((rest, { id, put }) => `(${toSwitchCondition(id)} ? (${put}) : ${rest})`, `(${inner})`)})`;
    case "statement":
      return (inner) =>
        `{ ${enabledChanges.map(({ id, put }) => `if (${toSwitchCondition(id)}) { ${put} } else `).join("")}{ ${inner} } }`;
    case "modifier":
      return (inner) => {
        const [name, rest = ")"] = inner.split("(");
        const args = rest.slice(0, -1);
        const limits = ids.map((id) => BASE_GAS_LIMIT + id).join(", ");
        return `switched_${name}(${args}${args === "" ? "" : ", "}${limits})`;
      };
    case "yul expression":
      return (inner) =>
        enabledChanges.reduceRight((rest, { id, put }) => `mutant_(${BASE_GAS_LIMIT + id}, ${put}, ${rest})`, inner);
    case "yul statement":
      return (inner) => `if iszero(eq(gaslimit(), ${BASE_GAS_LIMIT + enabledChanges[0]!.id})) { ${inner} }`;
  }
}

/** Constants become functions, since a constant cannot read which mutant is active. */
function createConstantEdits(source: Source, converted: ReadonlySet<number>): Edit[] {
  const declared = findConstants(source.ast)
    .filter(({ id }) => converted.has(Number(id)))
    .map((at): Edit => {
      const { start, end } = getRange(at);
      const visibility = at.stateVariable === true ? getText(at, "visibility") : "";
      const type = getTypeString(at) === "string" ? "string memory" : getTypeString(at);
      const head = `function ${getText(at, "name")}() ${visibility} view returns (${type}) { return `;
      const value = getRange(getNode(at, "value")).start - start;
      return {
        start,
        end: source.content.indexOf(";", end) + 1,
        // The text before the value is not edited, so its length is unchanged.
        write: (inner) => `${head}${inner.slice(value)} }`,
      };
    });
  return [...declared, ...createReferenceEdits(source, converted)];
}

const createReferenceEdits = (source: Source, converted: ReadonlySet<number>): Edit[] =>
  findAll(source.ast, (at) => at.nodeType === "Identifier" && converted.has(Number(at.referencedDeclaration))).map(
    (at) => ({ ...getRange(at), write: (inner) => `${inner}()` }),
  );

/** Where a place is: the function or constant around it. */
function findScope(source: Source, at: Range): string {
  const holds = (of: Node): boolean => getRange(of).start <= at.start && getRange(of).end >= at.end;
  const around = findAll(source.ast, (of) => of.nodeType === "FunctionDefinition" && holds(of)).at(-1);
  const constant = findConstants(source.ast).find(holds);
  const found = around ?? constant;
  if (found === undefined) return "";
  return getText(found, "name") || getText(found, "kind");
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Numbers the mutants of these sources from 1 on, and returns a function that writes them all, or all but some. */
export function prepareMutants(sources: readonly Source[]): {
  readonly mutants: readonly Mutant[];
  readonly write: (without: ReadonlySet<number>) => Map<string, string>;
} {
  const fixed = new Set(sources.flatMap(({ ast }) => [...findAssemblyConstants(ast)]));
  const converted = new Set(
    sources.flatMap(({ ast }) => findConstants(ast).map(({ id }) => Number(id))).filter((id) => !fixed.has(id)),
  );
  const mutants: Mutant[] = [];
  const prepared = sources.map((source) => {
    const references = createReferenceEdits(source, converted);
    const raw = (of: Node): string => applyEdits(source.content, getRange(of), references);
    const points = findMutationPoints(source.ast, raw).map((point) => ({ ...point, ...withSemicolon(source, point) }));
    const numbered = points.map((point) => ({
      point,
      ids: point.changes.map((change) => register(source, point, change)),
    }));
    return { source, numbered };
  });

  function register(source: Source, point: MutationPoint, { kind, put }: Change): number {
    const id = mutants.length + 1;
    const before = toOneLine(source.content.slice(point.start, point.end));
    const line = source.content.slice(0, point.start).split("\n").length;
    mutants.push({ id, file: source.file, line, scope: findScope(source, point), kind, before, after: toOneLine(put) });
    return id;
  }

  const write = (without: ReadonlySet<number>): Map<string, string> =>
    new Map(
      prepared.map(({ source, numbered }) => {
        const edits: Edit[] = [
          ...createConstantEdits(source, converted),
          ...numbered.map(({ point, ids }) => ({
            start: point.start,
            end: point.end,
            write: createPointWriter(
              point,
              ids.map((id) => (without.has(id) ? -1 : id)),
            ),
          })),
          ...findAll(source.ast, ({ nodeType }) => nodeType === "InlineAssembly").map((at): Edit => {
            const { start } = getRange(getNode(at, "AST"));
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
function withSemicolon({ content }: Source, { form, start, end }: MutationPoint): Range {
  if (form !== "statement" || content[end - 1] === ";") return { start, end };
  return { start, end: content.indexOf(";", end) + 1 };
}
