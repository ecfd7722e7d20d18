import { expect, test } from 'bun:test';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../build/build.ts';
import { SHORT_NAMES } from '../../build/minify.ts';

const FOLDER = join(ROOT, 'src/widget');

/** @returns the types of all expressions, patterns, and declarations in the widget's sources, without the constituents of unions */
function typesOf(program: ts.Program): readonly ts.Type[] {
  const checker = program.getTypeChecker();
  const types = new Set<ts.Type>();
  const add = (type: ts.Type | undefined): void => {
    if (type?.isUnion()) type.types.forEach(add);
    else if (type) types.add(type);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isExpression(node)) add(checker.getContextualType(node));
    if (
      ts.isExpression(node) ||
      ts.isTypeNode(node) ||
      ts.isDeclarationStatement(node) ||
      ts.isBindingName(node)
    )
      add(checker.getTypeAtLocation(node));
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) visit(file);
  return [...types].map((type) => checker.getApparentType(type));
}

/** @returns for each short name that two properties of the type share, these properties */
function clashesIn(names: readonly string[]): readonly string[] {
  const byShort = Map.groupBy(names, (name) => SHORT_NAMES.get(name));
  return [...byShort].flatMap(([short, all]) =>
    short && all.length > 1 ? [`${short}: ${all.sort().join(', ')}`] : [],
  );
}

/** @returns the properties that the sources read from objects whose type names no properties, such as attributes and options of the page */
function readFromPage(program: ts.Program): ReadonlySet<string> {
  const checker = program.getTypeChecker();
  const names = new Set<string>();
  const add = (object: ts.Node, name: string): void => {
    const type = checker.getApparentType(checker.getTypeAtLocation(object));
    if (type.getStringIndexType() && type.getProperty(name) === undefined) names.add(name);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) add(node.expression, node.name.text);
    if (ts.isObjectBindingPattern(node))
      for (const { name, propertyName } of node.elements) add(node, (propertyName ?? name).getText());
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) visit(file);
  return names;
}

const { config } = ts.readConfigFile(join(FOLDER, 'tsconfig.json'), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER);
const program = ts.createProgram(fileNames, options);
const types = typesOf(program);
const propertiesOf = (type: ts.Type) => type.getProperties().map(({ name }) => name);

test('no object has two properties with the same short name', () => {
  expect([...new Set(types.flatMap((type) => clashesIn(propertiesOf(type))))]).toEqual([]);
});

test('every property with a short name exists', () => {
  const existing = new Set(types.flatMap(propertiesOf));
  expect([...SHORT_NAMES.keys()].filter((name) => !existing.has(name))).toEqual([]);
});

test('no property of the page has a short name', () => {
  const names = [...readFromPage(program)];
  expect(names).toContain('holdSubmit');
  expect(names.filter((name) => SHORT_NAMES.has(name))).toEqual([]);
});

test('properties that one object has are found', () => {
  expect(clashesIn(['puzzle', 'text', 'expiry', 'solve'])).toEqual(['e: expiry, puzzle']);
});
