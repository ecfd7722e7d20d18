import { describe, expect, test } from 'bun:test';
import { later } from '../../src/lib/time.ts';
import { STORED_BUILDS } from '../../src/model/ports/installation.ts';
import { now, type OpenWorld } from './world.ts';

const idOf = (digit: number) => String(digit).repeat(64);
const contentsOf = (digit: number) => new Uint8Array(300_000).fill(digit);

/** The contract of every store of the widget's builds. */
export function describeWidgetBuildStore(name: string, open: OpenWorld): void {
  describe(`store of widget builds (${name})`, () => {
    test('stores a build once, and returns its contents unchanged', async () => {
      const { widgetBuilds } = await open();
      expect(await widgetBuilds.recordCurrent(idOf(1), undefined, now)).toBe(false);
      expect(await widgetBuilds.list()).toEqual([]);
      expect(await widgetBuilds.recordCurrent(idOf(1), contentsOf(1), now)).toBe(true);
      expect(await widgetBuilds.recordCurrent(idOf(1), contentsOf(2), later(now, 1))).toBe(true);
      expect(await widgetBuilds.recordCurrent(idOf(1), undefined, later(now, 2))).toBe(true);
      expect(await widgetBuilds.byId(idOf(1))).toEqual(contentsOf(1));
      expect(await widgetBuilds.byId(idOf(2))).toBeUndefined();
    });

    test('keeps the builds that were served last', async () => {
      const { widgetBuilds } = await open();
      for (const digit of [1, 2, 3]) {
        await widgetBuilds.recordCurrent(idOf(digit), contentsOf(digit), later(now, digit));
      }
      // An older build is still in use, for example on another node or after a downgrade.
      await widgetBuilds.recordCurrent(idOf(1), undefined, later(now, 4));
      await widgetBuilds.recordCurrent(idOf(4), contentsOf(4), later(now, 5));
      expect(await widgetBuilds.list()).toEqual([4, 1, 3].map(idOf));
      expect(await widgetBuilds.byId(idOf(2))).toBeUndefined();
    });

    test('stores builds that several servers record at the same time', async () => {
      const { widgetBuilds } = await open();
      await Promise.all(
        [1, 1, 2, 2, 3, 3, 4, 4].map((digit) =>
          widgetBuilds.recordCurrent(idOf(digit), contentsOf(digit), now),
        ),
      );
      expect(await widgetBuilds.list()).toHaveLength(STORED_BUILDS);
    });
  });
}
