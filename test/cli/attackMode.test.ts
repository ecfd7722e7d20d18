import { expect, test } from 'bun:test';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { fetchPuzzle } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addSampleData, PROGRAM, useCommandLine } from './commandLine.ts';

const cli = useCommandLine();

async function isHard({ url }: RunningBinary, sitekey: string): Promise<boolean> {
  const [text = ''] = (await fetchPuzzle(url, sitekey)).split('.');
  return (parsePuzzle(bytesFromBase64(text) ?? new Uint8Array())?.difficulty ?? 0) >= 144;
}

test('attack mode takes effect in a running server, remains after a restart, and ends in the running server', async () => {
  const start = async () => startBinary(PROGRAM, { ...(await cli.environment()) });
  const { sitekey, annOrg } = await addSampleData(cli);
  const first = await start();
  expect(await isHard(first, sitekey)).toBe(false);
  await cli.json(`orgs attack --org ${annOrg}`);
  await waitUntil('puzzles are harder', () => isHard(first, sitekey));
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await start();
  expect(await isHard(second, sitekey)).toBe(true);
  await cli.json(`orgs attack --org ${annOrg} --end`);
  await waitUntil('puzzles are as before', async () => !(await isHard(second, sitekey)));
  expect(await second.end('SIGTERM')).toBe(0);
});
