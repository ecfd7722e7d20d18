import ts from 'typescript';

/**
 * The mutants of one node: the texts that can replace it. A mutant that every test detects that detects another one is left out: for
 * example, `!==` in place of `===`, because `true` and `false` also replace the comparison.
 */

const RELATIONS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
]);

const EQUALITIES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
  ts.SyntaxKind.InstanceOfKeyword,
]);

const CHAINS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

const ARITHMETIC: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PercentToken, '*'],
  [ts.SyntaxKind.AsteriskAsteriskToken, '*'],
  [ts.SyntaxKind.BarToken, '&'],
  [ts.SyntaxKind.AmpersandToken, '|'],
  [ts.SyntaxKind.CaretToken, '|'],
  [ts.SyntaxKind.LessThanLessThanToken, '>>'],
  [ts.SyntaxKind.GreaterThanGreaterThanToken, '<<'],
  [ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken, '<<'],
]);

const ASSIGNMENTS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
  [ts.SyntaxKind.AsteriskEqualsToken, '/='],
  [ts.SyntaxKind.SlashEqualsToken, '*='],
  [ts.SyntaxKind.BarEqualsToken, '&='],
  [ts.SyntaxKind.AmpersandEqualsToken, '|='],
  [ts.SyntaxKind.CaretEqualsToken, '|='],
  [ts.SyntaxKind.QuestionQuestionEqualsToken, '='],
]);

/** Methods with a mutant of the same form; `valueOf` returns the object unchanged. */
export const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['round', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toLowerCase', 'toUpperCase'],
  ['toUpperCase', 'toLowerCase'],
  ['trim', 'valueOf'],
  ['filter', 'valueOf'],
  ['slice', 'valueOf'],
  ['toSorted', 'valueOf'],
  ['toReversed', 'valueOf'],
]);

/** The expression without parentheses around it. */
function bare(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}

function outer(node: ts.Node): ts.Node {
  return ts.isParenthesizedExpression(node.parent) ? outer(node.parent) : node;
}

type Position = 'condition' | 'loop' | 'operand' | 'value';

function positionOf(node: ts.Node): Position {
  const self = outer(node);
  const { parent } = self;
  if (ts.isIfStatement(parent) || ts.isConditionalExpression(parent))
    return (ts.isIfStatement(parent) ? parent.expression : parent.condition) === self ? 'condition' : 'value';
  if (ts.isWhileStatement(parent) || ts.isDoStatement(parent))
    return parent.expression === self ? 'loop' : 'value';
  if (ts.isForStatement(parent)) return parent.condition === self ? 'loop' : 'value';
  if (ts.isBinaryExpression(parent) && CHAINS.has(parent.operatorToken.kind)) return 'operand';
  return isNot(parent) ? 'operand' : 'value';
}

const isNot = (node: ts.Node): node is ts.PrefixUnaryExpression =>
  ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;

/** `true` and `false` in place of a condition or of an expression that is a boolean by its form. A loop never becomes endless. */
function constantsFor(node: ts.Expression): readonly string[] {
  if (ts.isParenthesizedExpression(node) || isLiteral(node)) return [];
  const position = positionOf(node);
  if (position === 'operand') return [];
  if (position === 'loop') return ['false'];
  const isChain = ts.isBinaryExpression(node) && CHAINS.has(node.operatorToken.kind);
  if (isChain) {
    // Without an operand, the other constant is included.
    if (node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) return ['false'];
    if (node.operatorToken.kind === ts.SyntaxKind.BarBarToken) return ['true'];
    return position === 'condition' ? ['true', 'false'] : [];
  }
  return position === 'condition' || isBoolean(node) ? ['true', 'false'] : [];
}

function isLiteral({ kind }: ts.Node): boolean {
  return kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;
}

function isBoolean(node: ts.Expression): boolean {
  if (isNot(node)) return true;
  if (!ts.isBinaryExpression(node)) return false;
  return EQUALITIES.has(node.operatorToken.kind) || RELATIONS.has(node.operatorToken.kind);
}

/** The operands of a chain such as `a && b && c`. */
function operandsOf(node: ts.Expression, operator: ts.SyntaxKind): readonly ts.Expression[] {
  const inner = bare(node);
  if (!ts.isBinaryExpression(inner) || inner.operatorToken.kind !== operator) return [node];
  return [...operandsOf(inner.left, operator), ...operandsOf(inner.right, operator)];
}

function withoutOperand(node: ts.BinaryExpression): readonly string[] {
  const { kind } = node.operatorToken;
  const { parent } = outer(node);
  // The outermost expression of the chain has these mutants.
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === kind) return [];
  const operands = operandsOf(node, kind).map((operand) => operand.getText());
  const operator = ` ${node.operatorToken.getText()} `;
  return operands.map((_, left) => operands.filter((_, at) => at !== left).join(operator));
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function binary(node: ts.BinaryExpression): readonly string[] {
  const { left, right, operatorToken } = node;
  const { kind } = operatorToken;
  if (CHAINS.has(kind)) return withoutOperand(node);
  if (kind === ts.SyntaxKind.PlusToken && (isText(left) || isText(right))) return [];
  const isToUnsigned =
    kind === ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken && right.getText() === '0';
  const operator = isToUnsigned
    ? '>>'
    : (RELATIONS.get(kind) ?? ARITHMETIC.get(kind) ?? ASSIGNMENTS.get(kind));
  return operator === undefined ? [] : [`${left.getText()} ${operator} ${right.getText()}`];
}

function unary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): readonly string[] {
  const operand = node.operand.getText();
  if (node.operator === ts.SyntaxKind.MinusToken) return [operand];
  const swapped = { [ts.SyntaxKind.PlusPlusToken]: '--', [ts.SyntaxKind.MinusMinusToken]: '++' }[
    node.operator as number
  ];
  if (swapped === undefined) return [];
  return [ts.isPrefixUnaryExpression(node) ? swapped + operand : operand + swapped];
}

/** Texts with a space are for people, or SQL, which fails if it is empty. */
function string(node: ts.StringLiteralLike | ts.TemplateExpression): readonly string[] {
  const parts = ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
    : [node.text];
  if (parts.some((part) => /\s/.test(part))) return [];
  const { parent } = node;
  if (ts.isBinaryExpression(parent) && EQUALITIES.has(parent.operatorToken.kind)) return [];
  if ('name' in parent && parent.name === node) return [];
  if (ts.isTaggedTemplateExpression(parent) || ts.isImportAttribute(parent)) return [];
  if (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword) return [];
  return [parts.some((part) => part !== '') || parts.length > 1 ? "''" : "'mutant'"];
}

function pattern(node: ts.RegularExpressionLiteral): readonly string[] {
  const { text } = node;
  const end = text.lastIndexOf('/');
  const hasEnd = text[end - 1] === '$' && text[end - 2] !== '\\';
  return [
    ...(text.startsWith('/^') ? [`/${text.slice(2)}`] : []),
    ...(hasEnd ? [text.slice(0, end - 1) + text.slice(end)] : []),
  ];
}

/** The texts of an optional chain with one `?.` less each. @param node the outermost expression of the chain */
function chain(node: ts.Expression): readonly string[] {
  if (!ts.isOptionalChain(node) || (ts.isOptionalChain(node.parent) && node.parent.expression === node))
    return [];
  const texts: string[] = [];
  for (let link: ts.Expression = node; ts.isOptionalChain(link); link = link.expression) {
    const token = ts.isNonNullChain(link) ? undefined : link.questionDotToken;
    if (token === undefined) continue;
    const [start, text] = [node.getStart(), node.getText()];
    const isAccess = ts.isPropertyAccessExpression(link);
    texts.push(
      text.slice(0, token.getStart() - start) + (isAccess ? '.' : '') + text.slice(token.end - start),
    );
  }
  return texts;
}

/** @returns the texts that replace an expression, without those of its parts */
export function replacementsOf(node: ts.Expression): readonly string[] {
  const constants = constantsFor(node);
  if (isLiteral(node)) return [node.kind === ts.SyntaxKind.TrueKeyword ? 'false' : 'true'];
  if (ts.isBinaryExpression(node)) return [...constants, ...binary(node)];
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    return [...constants, ...unary(node)];
  }
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return string(node);
  if (ts.isRegularExpressionLiteral(node)) return pattern(node);
  if (ts.isArrayLiteralExpression(node)) return [node.elements.length > 0 ? '[]' : "['mutant']"];
  return [...constants, ...chain(node)];
}
