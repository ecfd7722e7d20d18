import { describe, expect, test } from 'bun:test';
import { createFairShares, type Part } from '../../src/lib/fairShares.ts';
import { createRandom } from '../support/random.ts';

function open(options: Parameters<typeof createFairShares>[0]) {
  const revoked: string[] = [];
  const openPart = createFairShares(options);
  return { revoked, part: (owner: string, name = owner) => openPart([owner], () => revoked.push(name)) };
}

describe('a capacity with fair shares', () => {
  test('gives each owner at most its share', () => {
    const { part, revoked } = open({ capacity: 100, share: 30 });
    const [first, second] = [part('a'), part('a')];
    expect([first.grow(20), second.grow(11), second.grow(10), first.grow(1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    first.release();
    first.release();
    expect([second.grow(20), second.grow(1), part('b').grow(30)]).toEqual([true, false, true]);
    expect(revoked).toEqual([]);
  });

  test('takes the newest parts of the owner with the most for an owner with less', () => {
    const { part, revoked } = open({ capacity: 4, share: 4 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) part('a', name).grow(1);
    expect([part('a').grow(1), part('b').grow(1), part('b').grow(1), part('b').grow(1)]).toEqual([
      ...[false, true, true, false],
    ]);
    expect(revoked).toEqual(['a4', 'a3']);
    expect([part('c').grow(1), part('c').grow(1)]).toEqual([true, false]);
  });

  test('takes the parts of a large group from the owner that has the most in it', () => {
    const revoked: string[] = [];
    const openPart = createFairShares({ capacity: 6, share: 6 });
    const part = (...path: string[]) => openPart(path, () => revoked.push(path.join('.')));
    for (const owner of ['1', '2', '2', '3', '4', '5']) part('large', owner).grow(1);
    expect([part('large', '6').grow(1), part('small', '1').grow(1), part('other', '1').grow(1)]).toEqual([
      ...[true, true, true],
    ]);
    expect(revoked).toEqual(['large.2', 'large.6', 'large.5']);
    expect([part('large', '7').grow(1), part('small', '2').grow(1)]).toEqual([false, true]);
  });

  test('does not contain a part that is larger than the capacity', () => {
    const { part, revoked } = open({ capacity: 4, share: 9 });
    part('a').grow(4);
    expect([part('b').grow(5), revoked]).toEqual([false, []]);
  });

  test.each(Array.from({ length: 10 }, (_, seed) => seed))(
    'is complete after all parts are released, whatever the order (seed %i)',
    (seed) => {
      const below = createRandom(seed);
      const openPart = createFairShares({ capacity: 50, share: 30 });
      const live = new Map<Part, { readonly owner: string; size: number }>();
      const sizeOf = (owner?: string) =>
        [...live.values()].reduce(
          (sum, part) => sum + (owner ? (part.owner === owner ? part.size : 0) : part.size),
          0,
        );
      for (let step = 0; step < 2000; step++) {
        const known = [...live.keys()][below(live.size + 3)];
        if (known !== undefined && below(2) === 0) {
          known.release();
          live.delete(known);
          continue;
        }
        const owner = live.get(known as Part)?.owner ?? `${below(5)}`;
        const part: Part = known ?? openPart([owner], () => live.delete(part));
        const size = 1 + below(9);
        if (part.grow(size)) live.set(part, { owner, size: (live.get(part)?.size ?? 0) + size });
        expect(sizeOf()).toBeLessThanOrEqual(50);
        expect(sizeOf(owner)).toBeLessThanOrEqual(30);
      }
      for (const part of live.keys()) part.release();
      const [last, other] = [openPart(['a'], () => {}), openPart(['b'], () => {})];
      expect([last.grow(30), other.grow(20)]).toEqual([true, true]);
    },
  );
});
