import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tab } from './browser.ts';

type Point = { readonly x: number; readonly y: number };

/** Records an animation of a tab, with a pointer that shows where a visitor clicks. */
export type Recorder = {
  /** Adds a picture, which the animation shows for this long. */
  frame(ms: number): Promise<void>;
  /** Moves the pointer to the element that the expression returns, and clicks it. */
  click(expression: string): Promise<void>;
  /** Writes the animation in the format WebP, which plays twice. @returns its size in bytes */
  save(file: string): Promise<number>;
};

/** Pictures of a movement, each for `STEP_MS`. */
const STEPS = 10;
const STEP_MS = 40;

/** @param start of the pointer */
export function createRecorder(tab: Tab, start: Point): Recorder {
  const folder = mkdtempSync(join(tmpdir(), 'postern-recorder-'));
  const frames: string[] = [];
  let pointer = start;

  async function frame(ms: number): Promise<void> {
    await tab.evaluate(pointerAt(pointer));
    const file = join(folder, `${frames.length}.png`);
    await Bun.write(file, await tab.screenshot());
    frames.push('-d', String(ms), file);
  }

  async function moveTo(end: Point): Promise<void> {
    const { x, y } = pointer;
    for (let step = 1; step <= STEPS; step++) {
      const part = (1 - Math.cos((Math.PI * step) / STEPS)) / 2;
      pointer = { x: x + (end.x - x) * part, y: y + (end.y - y) * part };
      await frame(STEP_MS);
    }
  }

  return {
    frame,
    async click(expression) {
      const { x, y } = await tab.evaluate<Point>(`(() => {
        const { x, y, width, height } = (${expression}).getBoundingClientRect();
        return { x: x + Math.min(width / 2, 60), y: y + height / 2 };
      })()`);
      await moveTo({ x, y });
      await tab.click(expression);
    },
    async save(file) {
      // Debian: the package `webp`.
      const encoder = Bun.spawnSync(
        ['img2webp', '-loop', '2', '-min_size', '-mixed', '-q', '90', '-m', '6', ...frames, '-o', file],
        { stdout: 'ignore', stderr: 'pipe' },
      );
      rmSync(folder, { recursive: true, force: true });
      if (encoder.exitCode !== 0) throw new Error(`img2webp: ${encoder.stderr}`);
      return Bun.file(file).size;
    },
  };
}

/** An expression that shows the pointer. Its styles are set by script, because policies forbid style attributes. */
function pointerAt({ x, y }: Point): string {
  return `(() => {
    let pointer = document.querySelector('#recorded-pointer');
    if (pointer === null) {
      pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      pointer.id = 'recorded-pointer';
      pointer.innerHTML = '<path d="M2 2v18l4.6-4.2 3 7 3.2-1.4-3-6.8H16z" fill="#000" stroke="#fff" stroke-width="1.6"/>';
      pointer.style.cssText = 'position:fixed;z-index:2147483647;width:26px;height:26px;pointer-events:none';
      document.documentElement.append(pointer);
    }
    pointer.style.left = '${x}px';
    pointer.style.top = '${y}px';
  })()`;
}
