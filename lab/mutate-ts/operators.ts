/** Finds the possible changes of a TypeScript source. */
import ts from "typescript";

export interface Change {
  readonly start: number;
  readonly end: number;
  /** A mutated statement is skipped; a mutated expression has another value. */
  readonly isStatement: boolean;
  readonly after: string;
  readonly scope: string;
  readonly line: number;
}

const K = ts.SyntaxKind;

const SWAPPED = new Map<ts.SyntaxKind, readonly string[]>([
  [K.LessThanToken, ["<=", ">="]],
  [K.LessThanEqualsToken, ["<", ">"]],
  [K.GreaterThanToken, [">=", "<="]],
  [K.GreaterThanEqualsToken, [">", "<"]],
  [K.EqualsEqualsEqualsToken, ["!=="]],
  [K.ExclamationEqualsEqualsToken, ["==="]],
  [K.AmpersandAmpersandToken, ["||"]],
  [K.BarBarToken, ["&&"]],
  [K.PlusToken, ["-"]],
  [K.MinusToken, ["+"]],
  [K.AsteriskToken, ["/"]],
  [K.SlashToken, ["*"]],
  [K.PercentToken, ["*"]],
]);

/** Calls that can be removed from a chain: `rows.filter(isOpen)` becomes `rows`. */
const REMOVED_CALLS = new Set(
  "where having limit offset orderBy filter slice sort toSorted reverse toReversed trim toLowerCase".split(" "),
);
/** Logs and metrics are not mutated: they are not behavior that an interface promises. */
const UNTESTED = /^(this\.)?#?(\w+\.)*(log|logger|terminal|console)\.\w+\(|^(this\.)?#?(\w+\.)*metrics?\.|\.unref\(\)$/;

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** The return value of a function that does nothing; null if another change already gives it. */
function getEmptyValue(type: ts.TypeNode | undefined): string | null {
  const text = type?.getText().replace(/^Promise<(.*)>$/s, "$1") ?? "void";
  if (/^(void|boolean|never|asserts |\w+ is )/.test(text)) return null;
  return /\[\]$|^ReadonlyArray</.test(text) ? "[]" : "undefined";
}

function changeBinary(node: ts.BinaryExpression, text: (node: ts.Node) => string): readonly string[] {
  const { left, right, operatorToken } = node;
  if (operatorToken.kind === K.QuestionQuestionToken) return [text(left)];
  if (operatorToken.kind === K.PlusToken && (isText(left) || isText(right))) return [];
  return (SWAPPED.get(operatorToken.kind) ?? []).map((operator) => `(${text(left)}) ${operator} (${text(right)})`);
}

function changeCall(node: ts.CallExpression, text: (node: ts.Node) => string): readonly string[] {
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression) || ts.isOptionalChain(node)) return [];
  if (REMOVED_CALLS.has(expression.name.text)) return [text(expression.expression)];
  return text(expression) === "Math.min" ? [`Math.max(${node.arguments.map(text).join(", ")})`] : [];
}

function changeLiteral(node: ts.Node, text: string): readonly string[] {
  if (ts.isNumericLiteral(node)) return [text === "0" ? "1" : `(${text} + 1)`];
  if (ts.isBigIntLiteral(node)) return [text === "0n" ? "1n" : `(${text} + 1n)`];
  if (node.kind === K.TrueKeyword) return ["false"];
  if (node.kind === K.FalseKeyword) return ["true"];
  // Prose is not behavior, but a single word may be an identifier.
  return ts.isStringLiteral(node) && /^\S+$/.test(node.text) ? ['""'] : [];
}

const isCondition = (node: ts.Node): boolean =>
  (ts.isIfStatement(node.parent) && node.parent.expression === node) ||
  (ts.isConditionalExpression(node.parent) && node.parent.condition === node);

const isName = (node: ts.Node): boolean => {
  const { parent } = node;
  return (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) && parent.name === node;
};

/** The enclosing function, or null for code that runs when the module is loaded. */
function findFunction(node: ts.Node): ts.Node | null {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at)) return at;
    if (ts.isPropertyDeclaration(at) && !at.modifiers?.some(({ kind }) => kind === K.StaticKeyword)) return at;
  }
  return null;
}

function getScope(node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    const { name } = at as { name?: ts.Node };
    if ((ts.isFunctionLike(at) || ts.isVariableDeclaration(at) || ts.isPropertyAssignment(at)) && name !== undefined)
      return name.getText();
  }
  return "module";
}

function changeExpression(node: ts.Node, text: (node: ts.Node) => string): readonly string[] {
  if (ts.isBinaryExpression(node)) return changeBinary(node, text);
  if (ts.isCallExpression(node)) return changeCall(node, text);
  if (ts.isAwaitExpression(node)) return [text(node.expression)];
  return isName(node) ? [] : changeLiteral(node, text(node));
}

function changeReturned(node: ts.Node): readonly string[] {
  const isReturned =
    (ts.isReturnStatement(node.parent) && node.parent.expression === node) ||
    (ts.isArrowFunction(node.parent) && node.parent.body === node && !ts.isBlock(node));
  const empty = isReturned ? getEmptyValue((findFunction(node) as ts.SignatureDeclaration | null)?.type) : null;
  const isEmpty = ts.isLiteralExpression(node) || /^(null|true|false|undefined|\[\])$/.test(node.getText());
  return empty === null || isEmpty ? [] : [empty];
}

const isSkipped = (node: ts.Node, source: ts.SourceFile): boolean =>
  ts.isTypeNode(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  (ts.isExpressionStatement(node) && UNTESTED.test(node.getText(source)));

const isRemovable = (node: ts.Node, text: string): boolean =>
  ts.isThrowStatement(node) || (ts.isExpressionStatement(node) && !/^(super\(|await 0;|")/.test(text));

/** All changes of one source, in the order of its text. */
export function listChanges(file: string, content: string): readonly Change[] {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.ESNext, true);
  const found: Change[] = [];
  const text = (node: ts.Node): string => node.getText(source);
  function visit(node: ts.Node): void {
    if (isSkipped(node, source)) return;
    if (findFunction(node) === null) {
      ts.forEachChild(node, visit);
      return;
    }
    const add = (at: ts.Node, after: string, isStatement = false): void => {
      const start = at.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ start, end: at.getEnd(), isStatement, after, scope: getScope(at), line });
    };
    if (isRemovable(node, text(node))) add(node, "", true);
    if (ts.isTryStatement(node) && node.finallyBlock !== undefined)
      for (const statement of node.finallyBlock.statements)
        if (!isRemovable(statement, text(statement)) && !ts.isVariableStatement(statement)) add(statement, "", true);
    if (ts.isExpression(node) && node.parent !== undefined) {
      const isComparison = ts.isBinaryExpression(node) && SWAPPED.has(node.operatorToken.kind);
      if (isCondition(node) && !isComparison) add(node, `!(${text(node)})`);
      for (const after of changeReturned(node)) add(node, after);
      for (const after of changeExpression(node, text)) if (after !== text(node)) add(node, after);
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  return found;
}
