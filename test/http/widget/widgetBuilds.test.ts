import { describe, expect, test } from 'bun:test';
import { type Asset, hashedPath } from '../../../src/http/assets.ts';
import { archiveIdOf, openArchive, packArchive, toArchive } from '../../../src/http/widget/widgetArchive.ts';
import { createWidgetBuilds } from '../../../src/http/widget/widgetBuilds.ts';
import type { Instant } from '../../../src/lib/time.ts';
import type { WidgetBuildStore } from '../../../src/model/ports/installation.ts';

const LANGUAGES = JSON.stringify({ de: { dir: 'ltr', texts: { label: 'Ich bin ein Mensch' } } });

/** The files of a version of the widget. */
function filesOf(version: string): readonly Asset[] {
  return ['/widget/postern.js', '/recaptcha/api.js', '/turnstile/v0/g/:hash/api.js'].map((path) => ({
    path,
    type: 'text/javascript',
    contents: `/* ${version} ${path} */`,
    isPublic: true,
  }));
}

const archiveOf = (version: string) => toArchive(filesOf(version), LANGUAGES);
const pathOf = (version: string, index = 0) => hashedPath(filesOf(version)[index] as Asset);

function openScene() {
  const stored = new Map<string, Uint8Array>();
  const queries = { list: 0, byId: 0 };
  let now = 0;
  const errors: string[] = [];
  const log = { error: (name: string) => void errors.push(name) };
  const store: WidgetBuildStore = {
    async recordCurrent(id, contents) {
      if (contents && !stored.has(id)) stored.set(id, contents);
      return stored.has(id);
    },
    async list() {
      queries.list += 1;
      return [...stored.keys()];
    },
    async byId(id) {
      queries.byId += 1;
      return stored.get(id);
    },
  };
  const serverOf = (version: string) =>
    createWidgetBuilds({
      store,
      archive: archiveOf(version),
      clock: () => 0 as Instant,
      now: () => now,
      log: log as never,
    });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { stored, queries, errors, store, serverOf, pass };
}

describe('the builds of the widget', () => {
  test('are served by the next version, with all their files', async () => {
    const scene = openScene();
    expect(await scene.serverOf('old').recordCurrent()).toBe(1);
    const next = scene.serverOf('new');
    expect(await next.recordCurrent()).toBe(1);
    expect(await next.recordCurrent()).toBe(0);
    const file = await next.find(pathOf('old'));
    expect(Buffer.from(file?.contents ?? []).toString()).toBe('/* old /widget/postern.js */');
    expect(file?.type).toBe('text/javascript');
    const turnstile = pathOf('old', 2).replace(':hash', 'b2c3');
    expect((await next.find(turnstile))?.etag).toBe(`"${turnstile.split('.')[1]}"`);
    expect(await next.find('/widget/postern.0123456789abcdef.js')).toBeUndefined();
  });

  test('of other nodes are served, even if they are stored later', async () => {
    const scene = openScene();
    const old = scene.serverOf('old');
    await old.recordCurrent();
    expect(await old.find(pathOf('new'))).toBeUndefined();
    await scene.serverOf('new').recordCurrent();
    scene.pass(1000);
    expect(await old.find(pathOf('new'))).toBeDefined();
  });

  test('that are no longer stored are no longer served', async () => {
    const scene = openScene();
    await scene.serverOf('old').recordCurrent();
    const next = scene.serverOf('new');
    expect(await next.find(pathOf('old'))).toBeDefined();
    scene.stored.clear();
    scene.pass(1000);
    await next.find(pathOf('unknown'));
    expect(await next.find(pathOf('old'))).toBeUndefined();
  });

  test('cause at most one query per second, and none for paths without a hash', async () => {
    const scene = openScene();
    await scene.serverOf('old').recordCurrent();
    const next = scene.serverOf('new');
    await Promise.all(Array.from({ length: 1000 }, (_, i) => next.find(`/widget/a${i}.0123456789abcdef.js`)));
    expect(scene.queries).toEqual({ list: 1, byId: 1 });
    scene.pass(999);
    await next.find(pathOf('unknown'));
    expect(scene.queries.list).toBe(1);
    scene.pass(1);
    await next.find('/widget/unknown.js');
    expect(scene.queries.list).toBe(1);
    await next.find(pathOf('unknown'));
    expect(scene.queries).toEqual({ list: 2, byId: 1 });
  });

  test('that are damaged are logged once and not served', async () => {
    const scene = openScene();
    await scene.serverOf('old').recordCurrent();
    const [id = '', packed = new Uint8Array()] = [...scene.stored][0] ?? [];
    const text = Buffer.from(Bun.gunzipSync(packed.slice())).toString();
    for (const bytes of [
      new Uint8Array(),
      packed.slice(0, 50),
      packArchive(text.replace('Mensch', 'Roboter')),
    ]) {
      scene.stored.set(id, bytes);
      const next = scene.serverOf('new');
      for (let i = 0; i < 3; i++) {
        expect(await next.find(pathOf('old'))).toBeUndefined();
        scene.pass(1000);
      }
    }
    expect(scene.errors).toEqual(Array.from({ length: 3 }, () => 'widget-build-damaged'));
  });
});

test.each<[string, (text: string) => string]>([
  ['a file whose path has another hash', (text) => text.replaceAll(/\.[\da-f]{16}\./g, '.0123456789abcdef.')],
  ['a file of another type', (text) => text.replaceAll('text/javascript', 'text/html')],
  ['other JSON', () => '[]'],
  ['more than 4 MiB', (text) => `${text}${' '.repeat(5 * 1024 ** 2)}`],
])('an archive with %s is rejected', (_, change) => {
  const text = change(archiveOf('old'));
  expect(() => openArchive(archiveIdOf(text), packArchive(text))).toThrow();
});
