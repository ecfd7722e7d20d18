import { expect, test } from 'bun:test';
import { NOT_RUN } from '../browsers.ts';
import { LAYERS } from '../layers.ts';
import { filesAt } from './tree.ts';

const FILES = filesAt('test/**/*.test.{ts,tsx}');

const pathsOn = (wanted: 'sqlite' | 'postgres') =>
  LAYERS.filter(({ engine, browser }) => engine === wanted && browser === undefined).flatMap(
    ({ paths }) => paths,
  );

const isBelow = (file: string, path: string) => `${file}/`.startsWith(`test/${path}/`);

// A folder that was renamed was missing from the list, and `npm test` did not run its tests.
test('`npm test` runs every test file once, and some a second time on PostgreSQL', () => {
  const paths = pathsOn('sqlite');
  const runsOf = (file: string) => paths.filter((path) => isBelow(file, path)).length;
  expect(FILES.length).toBeGreaterThan(100);
  expect(FILES.filter((file) => runsOf(file) !== 1)).toEqual([]);
});

test('`npm test` lists only files and folders that contain tests', () => {
  const empty = LAYERS.flatMap(({ paths }) => paths).filter(
    (path) => !FILES.some((file) => isBelow(file, path)),
  );
  expect(empty).toEqual([]);
});

test('the table of tests that do not run in every browser names existing tests', () => {
  const unknown = NOT_RUN.filter(([path]) => !FILES.some((file) => isBelow(file, `browser/${path}`)));
  expect(unknown).toEqual([]);
});

// The engine of other tests does not depend on TEST_ENGINE, so a second run would prove nothing.
test('the tests that run on PostgreSQL use servers or commands', () => {
  expect(pathsOn('postgres').filter((path) => !/^(http|portal|cli)\//.test(path))).toEqual([]);
});
