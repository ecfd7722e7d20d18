import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plugin } from 'bun';
import ts from 'typescript';
import { addLiterals, type Block, nextBlock } from './coverage.ts';

/**
 * Inserts a counter into every block of the modules that are imported after this one, because the engine needs the coverage of each
 * call. Conditional expressions and the right operands of logical operators also count as blocks.
 */

const ROOT = join(import.meta.dir, '../../../..');

/** The server's modules, and the packages that read formats for it, except CommonJS modules, which plugins of Bun 1.4.5 cannot load. */
const INSTRUMENTED = new RegExp(
  `^${RegExp.escape(ROOT)}/(?:src/(?!widget/)|src/widget/client|node_modules/(?:csv-parse|modern-tar|croner)/).*\\.(?:js|tsx?)$`,
);

type Insertion = { readonly at: number; readonly text: string };

const LOGICAL: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

/** Returns a module with counters. Line numbers stay the same. @param file its path below the root, for reports */
export function instrument(text: string, file: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const insertions: Insertion[] = [];
  const literals = new Set<string>();

  function hit(at: number, name?: string): string {
    const { line } = source.getLineAndCharacterOfPosition(at);
    const block: Block = { file, line: line + 1, name };
    return `$hit(${nextBlock(block)})`;
  }

  function expression(node: ts.Expression, name?: string): void {
    insertions.push({ at: node.getStart(source), text: `(${hit(node.getStart(source), name)}, ` });
    visit(node);
    insertions.push({ at: node.getEnd(), text: ')' });
  }

  function statement(node: ts.Statement): void {
    const counter = hit(node.getStart(source));
    if (ts.isBlock(node)) {
      insertions.push({ at: node.getStart(source) + 1, text: `${counter};` });
      node.forEachChild(visit);
      return;
    }
    insertions.push({ at: node.getStart(source), text: `{${counter};` });
    visit(node);
    insertions.push({ at: node.getEnd(), text: '}' });
  }

  function visitIf({ expression: condition, thenStatement, elseStatement }: ts.IfStatement): void {
    visit(condition);
    statement(thenStatement);
    if (elseStatement !== undefined) statement(elseStatement);
    else {
      const at = thenStatement.getEnd();
      insertions.push({ at, text: ` else {${hit(at)};}` });
    }
  }

  function visitFunction(node: ts.FunctionLikeDeclaration): void {
    const { body, parameters } = node;
    for (const parameter of parameters) visit(parameter);
    if (body === undefined) return;
    const name = exportedName(node);
    if (!ts.isBlock(body)) {
      expression(body, name);
      return;
    }
    insertions.push({ at: body.getStart(source) + 1, text: `${hit(body.getStart(source), name)};` });
    body.forEachChild(visit);
  }

  /** Inserts counters into a node with parts that are blocks. @returns whether its children have been visited */
  function insertInto(node: ts.Node): boolean {
    if (ts.isFunctionLike(node) && 'body' in node) visitFunction(node as ts.FunctionLikeDeclaration);
    else if (ts.isIfStatement(node)) visitIf(node);
    else if (ts.isCatchClause(node)) statement(node.block);
    else if (ts.isIterationStatement(node, false)) {
      const { statement: body } = node;
      node.forEachChild((child) => (child === body ? statement(body) : visit(child)));
    } else if (ts.isConditionalExpression(node)) {
      visit(node.condition);
      expression(node.whenTrue);
      expression(node.whenFalse);
    } else if (ts.isBinaryExpression(node) && LOGICAL.has(node.operatorToken.kind)) {
      visit(node.left);
      expression(node.right);
    } else return false;
    return true;
  }

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isStringLiteralLike(node)) literals.add(node.text);
    if (ts.isCaseOrDefaultClause(node)) {
      insertions.push({ at: node.statements.pos, text: `${hit(node.statements.pos)};` });
    }
    if (!insertInto(node)) node.forEachChild(visit);
  }

  visit(source);
  addLiterals(file, [...literals]);
  return applied(text, insertions);
}

/** The name of an exported function that is not inside another one. */
function exportedName(node: ts.FunctionLikeDeclaration): string | undefined {
  const declaration = ts.isVariableDeclaration(node.parent) ? node.parent : node;
  const owner = declaration === node ? node : node.parent.parent.parent;
  const isExported =
    ts.canHaveModifiers(owner) &&
    ts.getModifiers(owner)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  const { name } = declaration;
  return isExported && name !== undefined && ts.isIdentifier(name) ? name.text : undefined;
}

function applied(text: string, insertions: readonly Insertion[]): string {
  // Stable: insertions at the same position stay in their order.
  const ordered = insertions.toSorted((a, b) => a.at - b.at);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text: added } of ordered) {
    parts.push(text.slice(from, at), added);
    from = at;
  }
  return parts.join('') + text.slice(from);
}

/** Instruments all modules that are imported from now on. */
export function installInstrumentation(): void {
  plugin({
    name: 'coverage',
    setup(build) {
      build.onLoad({ filter: INSTRUMENTED }, ({ path }) => {
        const file = path.slice(ROOT.length + 1);
        const loader = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js';
        return { contents: instrument(readFileSync(path, 'utf8'), file), loader };
      });
    },
  });
}
