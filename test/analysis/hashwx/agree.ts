/**
 * `bun test/analysis/hashwx/agree.ts [INPUTS] [SEED]`: compares the reference, the server's kernel, and both implementations of the widget
 * for random seeds and nonces (100,000 by default, which takes about six minutes). Exits with code 1 at the first difference.
 */
import { createHashwx } from '../../../src/server/hashwx.ts';
import { createModuleSearch } from '../../../src/widget/hashwx/module.ts';
import { openPlainSearch } from '../../../src/widget/hashwx/plain.ts';
import { createReference, hasHash } from '../../puzzle/hashwx/reference.ts';
import { createRandom } from '../../support/random.ts';

const [inputs = 100_000, first = 35] = process.argv.slice(2).map(Number);
const random = createRandom(first);
const kernel = createHashwx();
const openModule = createModuleSearch();

for (let input = 1; input <= inputs; input++) {
  const seed = Uint8Array.from({ length: 32 }, () => random(256));
  const nonce = random(65_536);
  const expected = Number(createReference(seed)(BigInt(nonce)) >> 32n);
  kernel.generate(seed);
  const words = () => new Int32Array(seed.slice().buffer);
  const agree = [
    kernel.hash(nonce) === expected,
    hasHash(openModule(words()), nonce, expected),
    hasHash(openPlainSearch(words()), nonce, expected),
  ];
  if (!agree.every(Boolean)) {
    console.log(
      `differs: seed ${seed.toHex()}, nonce ${nonce}; kernel, module, and JavaScript agree: ${agree}`,
    );
    process.exit(1);
  }
  if (input % 10_000 === 0 || input === inputs) console.log(`${input} inputs agree`);
}
