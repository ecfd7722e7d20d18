import { expect, test } from 'bun:test';
import { LAYERS, ON_POSTGRES, ON_SQLITE_ONLY } from '../run.ts';
import { filesAt } from './tree.ts';

// A folder that was renamed was missing from the list, and `npm test` did not run its tests.
test('`npm test` runs every test file once', () => {
  const paths = LAYERS.flat();
  const runsOf = (file: string) =>
    paths.filter((path) => file === `test/${path}` || file.startsWith(`test/${path}/`)).length;
  const files = filesAt('test/**/*.test.ts');
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => runsOf(file) !== 1)).toEqual([]);
});

test('`npm test` lists only folders that contain tests', () => {
  const files = filesAt('test/**/*.test.ts');
  const hasTests = (path: string) =>
    files.some((file) => file === `test/${path}` || file.startsWith(`test/${path}/`));
  const empty = LAYERS.flat().filter((path) => !hasTests(path));
  expect(empty).toEqual([]);
});

test('the tests that `npm test` runs only on SQLite exist', () => {
  const files = filesAt('test/**/*.test.{ts,tsx}');
  const isRun = (path: string) => ON_POSTGRES.some((each) => path.startsWith(`${each}/`));
  const matches = (path: string) => files.some((file) => new Bun.Glob(`test/${path}`).match(file));
  expect(ON_SQLITE_ONLY.filter((path) => !isRun(path) || !matches(path))).toEqual([]);
});
