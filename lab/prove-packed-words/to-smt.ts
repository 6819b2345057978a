/**
 * Translates pure Solidity functions into SMT-LIB terms (https://smt-lib.org, theory of fixed-size bit vectors).
 * Every number is a vector of 256 bits. Division by a constant stays uninterpreted (`div7`, `div60`): what is proven
 * holds for any function in its place.
 */
import type { AstNode, SourceFile } from "./solidity.ts";

/** An SMT-LIB term; a struct is a record of them. */
export type Term = string;
type Value = Term | { readonly [field: string]: Term };
type Scope = Map<number, Value>;

export const WORD_BITS = 256;
export const bv = (value: bigint): Term => `(_ bv${BigInt.asUintN(WORD_BITS, value)} ${WORD_BITS})`;
const lowBits = (bits: number): Term => bv((1n << BigInt(bits)) - 1n);

/** Bits of `uintN` and `address`; all of them for what has no width of its own. */
function bitsOf(type: string): number {
  if (type.startsWith("address")) return 160;
  const match = /^uint(\d+)/.exec(type);
  return match === null ? WORD_BITS : Number(match[1]);
}
const typeOf = (node: AstNode): string => node.typeDescriptions.typeString;
const cut = (term: Term, bits: number): Term => (bits === WORD_BITS ? term : `(bvand ${term} ${lowBits(bits)})`);

const OPERATORS: { readonly [operator: string]: string } = {
  "+": "bvadd",
  "-": "bvsub",
  "*": "bvmul",
  "&": "bvand",
  "|": "bvor",
  "<<": "bvshl",
  ">>": "bvlshr",
  "<": "bvult",
  ">": "bvugt",
  "<=": "bvule",
  ">=": "bvuge",
  "==": "=",
  "&&": "and",
  "||": "or",
};

export class Translator {
  readonly #functions = new Map<string, AstNode>();
  readonly #byId = new Map<number, AstNode>();
  readonly #sources: ReadonlyMap<string, SourceFile>;

  constructor(sources: ReadonlyMap<string, SourceFile>) {
    this.#sources = sources;
    for (const { name, functions, constants } of sources.values()) {
      for (const [functionName, node] of functions) {
        this.#functions.set(`${name}.${functionName}`, node);
        this.#byId.set(node.id, node);
      }
      for (const node of constants.values()) this.#byId.set(node.id, node);
    }
  }

  has(file: string, functionName: string): boolean {
    return this.#functions.has(`${file}.${functionName}`);
  }

  source(file: string): SourceFile {
    return this.#sources.get(file)!;
  }

  /** The result of a function as a term over its arguments. */
  call(file: string, functionName: string, args: readonly Term[]): Term {
    const value = this.record(file, functionName, args);
    if (typeof value !== "string") throw new Error(`${functionName} returns a struct`);
    return value;
  }

  /** The same for a function that may return a struct. */
  record(file: string, functionName: string, args: readonly Term[]): Value {
    const node = this.#functions.get(`${file}.${functionName}`);
    if (node === undefined) throw new Error(`${file} has no function ${functionName}`);
    return this.#apply(node, args);
  }

  #apply(node: AstNode, args: readonly Value[]): Value {
    const scope: Scope = new Map();
    for (const [index, parameter] of node.parameters.parameters.entries()) scope.set(parameter.id, args[index]!);
    const result = this.#run(node.body.statements, scope);
    if (result === null) throw new Error(`${node.name} does not return`);
    return result;
  }

  /** Runs statements; a condition that returns becomes if-then-else over the rest. */
  #run(statements: readonly AstNode[], scope: Scope): Value | null {
    for (const [index, statement] of statements.entries()) {
      const rest = statements.slice(index + 1);
      switch (statement.nodeType) {
        case "Return":
          return this.#evaluate(statement.expression, scope);
        case "UncheckedBlock":
        case "Block":
          return this.#run([...statement.statements, ...rest], scope);
        case "VariableDeclarationStatement":
          scope.set(statement.declarations[0].id, this.#evaluate(statement.initialValue, scope));
          break;
        case "ExpressionStatement":
          this.#assign(statement.expression, scope);
          break;
        case "IfStatement": {
          const condition = this.#term(statement.condition, scope);
          const yes = this.#run([statement.trueBody, ...rest], new Map(scope)) as Term;
          const no = this.#run(
            [...(statement.falseBody ? [statement.falseBody] : []), ...rest],
            new Map(scope),
          ) as Term;
          return `(ite ${condition} ${yes} ${no})`;
        }
        default:
          throw new Error(`no translation of ${statement.nodeType}`);
      }
    }
    return null;
  }

  #assign(expression: AstNode, scope: Scope): void {
    if (expression.nodeType === "UnaryOperation" && expression.operator === "++") {
      const { subExpression } = expression;
      const next = `(bvadd ${this.#term(subExpression, scope)} ${bv(1n)})`;
      scope.set(subExpression.referencedDeclaration, cut(next, bitsOf(typeOf(subExpression))));
      return;
    }
    if (expression.nodeType !== "Assignment") throw new Error(`no translation of ${expression.nodeType}`);
    const { leftHandSide: left, rightHandSide: right, operator } = expression;
    const value = this.#term(right, scope);
    const operation = operator === "=" ? null : OPERATORS[operator.slice(0, -1)]!;
    const term = operation === null ? value : `(${operation} ${this.#term(left, scope)} ${value})`;
    scope.set(left.referencedDeclaration, cut(term, bitsOf(typeOf(left))));
  }

  #term(node: AstNode, scope: Scope): Term {
    const value = this.#evaluate(node, scope);
    if (typeof value !== "string") throw new Error("a struct where a number was expected");
    return value;
  }

  #evaluate(node: AstNode, scope: Scope): Value {
    const constant = /^int_const (-?\d+)$/.exec(typeOf(node));
    if (constant !== null) return bv(BigInt(constant[1]!));
    switch (node.nodeType) {
      case "TupleExpression":
        return this.#evaluate(node.components[0], scope);
      case "Literal":
        return node.kind === "bool" ? node.value : bv(BigInt(node.value));
      case "Identifier":
        return scope.get(node.referencedDeclaration) ?? this.#constant(node);
      case "MemberAccess":
        return this.#limit(node);
      case "UnaryOperation":
        return this.#unary(node, scope);
      case "BinaryOperation":
        return this.#binary(node, scope);
      case "Conditional": {
        const condition = node.condition;
        const yes = node.trueExpression;
        const no = node.falseExpression;
        return `(ite ${this.#term(condition, scope)} ${this.#term(yes, scope)} ${this.#term(no, scope)})`;
      }
      case "FunctionCall":
        return this.#functionCall(node, scope);
      default:
        throw new Error(`no translation of ${node.nodeType}`);
    }
  }

  #constant(node: AstNode): Value {
    const declaration = this.#byId.get(node.referencedDeclaration);
    if (declaration?.value === undefined) throw new Error(`${node.name} is not a constant`);
    return cut(this.#term(declaration.value, new Map()), bitsOf(typeOf(declaration)));
  }

  /** `type(uintN).max`. */
  #limit(node: AstNode): Value {
    const type = node.expression?.arguments?.[0]?.typeDescriptions.typeString;
    const match = /^type\(uint(\d+)\)$/.exec(type ?? "");
    if (node.memberName !== "max" || match === null) throw new Error(`no translation of .${node.memberName}`);
    return lowBits(Number(match[1]));
  }

  #unary(node: AstNode, scope: Scope): Value {
    const term = this.#term(node.subExpression, scope);
    if (node.operator === "!") return `(not ${term})`;
    if (node.operator === "~") return cut(`(bvnot ${term})`, bitsOf(typeOf(node)));
    throw new Error(`no translation of ${node.operator}`);
  }

  #binary(node: AstNode, scope: Scope): Value {
    const left = this.#term(node.leftExpression, scope);
    const right = this.#term(node.rightExpression, scope);
    if (node.operator === "!=") return `(not (= ${left} ${right}))`;
    if (node.operator === "/") {
      const divisor = /^int_const (\d+)$/.exec(typeOf(node.rightExpression))?.[1];
      if (divisor === undefined) throw new Error("division by something that is no constant");
      return `(div${divisor} ${left})`;
    }
    const operation = OPERATORS[node.operator];
    if (operation === undefined) throw new Error(`no translation of ${node.operator}`);
    const term = `(${operation} ${left} ${right})`;
    return typeOf(node) === "bool" ? term : cut(term, bitsOf(typeOf(node)));
  }

  #functionCall(node: AstNode, scope: Scope): Value {
    const args = (node.arguments as AstNode[]).map((argument) => this.#evaluate(argument, scope));
    if (node.kind === "structConstructorCall") {
      return Object.fromEntries((node.names as string[]).map((name, index) => [name, args[index] as Term]));
    }
    // A conversion: `uint96(x)`, `address(x)`, `bytes32(x)`.
    if (node.kind === "typeConversion") return cut(args[0] as Term, bitsOf(typeOf(node)));
    // `Word.wrap(x)` and `Word.unwrap(x)`.
    if (["wrap", "unwrap"].includes(node.expression.memberName)) return args[0]!;
    const called = this.#byId.get(node.expression.referencedDeclaration);
    if (called === undefined) throw new Error(`no translation of a call of ${node.expression.name}`);
    return this.#apply(called, args);
  }
}
