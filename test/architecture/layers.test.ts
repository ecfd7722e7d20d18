import { expect, test } from 'bun:test';
import { LAYERS } from '../run.ts';
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
