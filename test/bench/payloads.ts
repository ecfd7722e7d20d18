import { createIssuePuzzle } from '../../src/captcha/issue.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { createKeyRing } from '../../src/captcha/signature.ts';
import { systemRandom } from '../../src/lib/ids.ts';
import { systemClock } from '../../src/lib/time.ts';
import type { Property } from '../../src/model/property.ts';
import type { Puzzle } from '../../src/puzzle/puzzle.ts';
import { solvePuzzle } from '../../src/puzzle/solve.ts';
import { createBlake2b } from '../../src/server/blake2b.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import { noUsage } from '../captcha/fakes.ts';
import { openTestServices } from '../support/services.ts';

/**
 * Creates solved payloads without requests to the server: they are signed by the server's code with the data folder's key.
 *
 * @returns a function that returns a new payload on every call
 */
export async function createPayloadGenerator(
  dataDir: string,
  property: Property,
  engine?: StorageEngine,
): Promise<() => string> {
  const newPuzzle = await createPuzzleGenerator(dataDir, property, engine);
  const hash = createBlake2b();
  return () => {
    const solved = solvePuzzle(newPuzzle(), hash, () => 100);
    if (solved === undefined) throw new Error('the puzzle could not be solved');
    return solved.payload;
  };
}

/** @returns a function that returns a new puzzle of this version on every call */
export async function createPuzzleGenerator(
  dataDir: string,
  property: Property,
  engine?: StorageEngine,
  version: Puzzle['version'] = 1,
): Promise<() => string> {
  const services = await openTestServices(dataDir, engine);
  const ring = createKeyRing(await services.signingKeys.list());
  await services.close();
  const issue = createIssuePuzzle({
    decide: () => undefined,
    rulesOf: () => undefined,
    properties: { bySitekey: () => property },
    load: createLoadMeter(1),
    keyRing: () => ring,
    clock: systemClock,
    random: systemRandom,
    hasTestProperty: false,
    usage: noUsage,
    onFailure: () => {},
  });
  const request = { sitekey: property.sitekey, origin: 'https://example.com', client: 0, version } as const;
  return () => {
    const issued = issue(request);
    if (issued instanceof Promise || !issued.ok) throw new Error('no puzzle was issued');
    return issued.value.text;
  };
}
