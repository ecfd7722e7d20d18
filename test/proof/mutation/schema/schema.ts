import ts from 'typescript';
import { METHODS, replacementsOf } from './operators.ts';

/** One change of a source file. */
export type Mutant = {
  readonly line: number;
  /** The function that contains it, and the text before and after the change; the same text twice in a function is numbered. */
  readonly text: string;
};

export type Schema = {
  /** The file with all mutants, each of which `$m(number)` turns on. Line numbers stay the same. */
  readonly code: string;
  readonly mutants: readonly Mutant[];
};

const MAX_TEXT = 90;

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

/** The name of the function, or of the constant of the module, that contains a node. */
function nameOf(node: ts.Node): string {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined)
      return at.name.getText();
    if (!ts.isVariableDeclaration(at) && !ts.isPropertyAssignment(at)) continue;
    const { initializer, parent } = at;
    const isFunction =
      initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
    if (isFunction || ts.isSourceFile(parent.parent.parent)) return short(at.name.getText());
  }
  return 'module';
}

/** Whether a node contains no code: types, imports, and messages of errors and of the log. */
function isExcluded(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isNewExpression(node)) return node.expression.getText().endsWith('Error');
  return isLogCall(node);
}

function isLogCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  return ts.isPropertyAccessExpression(expression) && /(?:^|\.)log$/.test(expression.expression.getText());
}

/** Whether an expression is the target of an assignment, which cannot be replaced, or the operand of `delete`. */
function isTarget(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) {
    const { kind } = parent.operatorToken;
    const isAssignment = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return isAssignment && parent.left === node;
  }
  return ts.isDeleteExpression(parent);
}

/** @returns the code with a limit for its loops, but without mutants */
export function withLoopLimits(text: string, file: string): string {
  return toSchema(text, file, 0, false).code;
}

/** @param first the number of its first mutant */
export function toSchema(text: string, file: string, first: number, hasMutants = true): Schema {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const seen = new Map<string, number>();

  function add(node: ts.Node, from: string, to: string): string {
    const name = `${nameOf(node)}: ${short(from)} → ${short(to)}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    return `$m(${first - 1 + mutants.push({ line, text: count > 1 ? `${name} (${count})` : name })})`;
  }

  /** The text of a node, whose children have their mutants. */
  function inside(node: ts.Node): string {
    const parts: string[] = [];
    let at = ts.isSourceFile(node) ? 0 : node.getStart(source);
    node.forEachChild((child) => {
      parts.push(text.slice(at, child.getStart(source)), render(child));
      at = child.end;
    });
    return parts.join('') + text.slice(at, node.end);
  }

  function method(node: ts.PropertyAccessExpression): string | undefined {
    const other = METHODS.get(node.name.text);
    const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node;
    if (other === undefined || !isCalled) return undefined;
    const on = add(node.name, node.name.text, other);
    const dot = node.questionDotToken === undefined ? '' : '?.';
    return `${render(node.expression)}${dot}[${on} ? '${other}' : '${node.name.text}']`;
  }

  function statement(node: ts.ExpressionStatement): string {
    const { expression } = node;
    const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
    if (isLogCall(call) || ts.isStringLiteral(call)) return text.slice(node.getStart(source), node.end);
    if (ts.isPostfixUnaryExpression(call) || ts.isPrefixUnaryExpression(call)) return inside(node);
    const on = add(expression, expression.getText(), 'nothing');
    return `${on} || (${render(expression)});`;
  }

  function render(node: ts.Node): string {
    if (!ts.isIterationStatement(node.parent, false) || node.parent.statement !== node) return unlooped(node);
    // A mutant whose loop never ends must fail.
    return `{$l();${unlooped(node)}}`;
  }

  function unlooped(node: ts.Node): string {
    if (isExcluded(node)) return text.slice(node.getStart(source), node.end);
    if (!hasMutants) return inside(node);
    return ts.isExpressionStatement(node) ? statement(node) : rendered(node);
  }

  function rendered(node: ts.Node): string {
    if (!ts.isExpression(node) || isTarget(node)) return inside(node);
    const replacements = replacementsOf(node);
    const switches = replacements.map((to) => `${add(node, node.getText(), to)} ? (${to}) : `);
    const code = (ts.isPropertyAccessExpression(node) ? method(node) : undefined) ?? inside(node);
    return switches.length === 0 ? code : `(${switches.join('')}(${code}))`;
  }

  return { code: inside(source), mutants };
}
