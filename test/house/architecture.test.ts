import { describe, expect, test } from 'bun:test';
import { posix } from 'node:path';
import { preProcessFile } from 'typescript';
import { filesAt, textOf } from './tree.ts';

/**
 * Who may import whom: down only, types too. Rooms on one floor do not know each other; the files of floor 4
 * introduce them. A room is a folder of `src`; a file at its top is a room of its own.
 */
// biome-ignore format: a table, from the roof to the ground
const FLOOR_PLAN: Readonly<Record<string, readonly string[]>> = {
  'main.ts':    ['cli'],
  'cli':        ['app.ts', 'office.ts', 'settings.ts', 'solve.ts', 'config.ts', 'version.ts', 'model', 'lib'],
  'app.ts':     ['housekeeping.ts', 'portal.ts', 'memory.ts', 'metering.ts', 'office.ts', 'files.ts', 'config.ts', 'crypto.ts', 'version.ts', 'http', 'background', 'captcha', 'platform', 'store', 'puzzle', 'model', 'lib'],
  'files.ts':   ['http'],
  'housekeeping.ts': ['memory.ts', 'office.ts', 'config.ts', 'background', 'platform', 'store', 'model', 'lib'],
  'portal.ts':  ['office.ts', 'files.ts', 'version.ts', 'http', 'captcha', 'model', 'lib'],
  'memory.ts':  ['office.ts', 'captcha', 'store', 'model', 'lib'],
  'metering.ts': ['memory.ts', 'office.ts', 'background', 'captcha', 'platform', 'model', 'lib'],
  'office.ts':  ['commonPasswords.ts', 'crypto.ts', 'platform', 'store', 'model', 'lib'],
  'settings.ts': ['config.ts', 'model'],
  'solve.ts':   ['crypto.ts', 'puzzle', 'lib'],
  'crypto.ts':  ['captcha', 'puzzle', 'lib'],
  'config.ts':  ['commonPasswords.ts', 'model', 'lib'],
  'commonPasswords.ts': ['model'],
  'version.ts': [],
  'http':       ['captcha', 'platform', 'model', 'lib'],
  'background': ['model', 'lib'],
  'captcha':    ['puzzle', 'model', 'lib'],
  'platform':   ['model', 'lib'],
  'store':      ['model', 'lib'],
  'model':      ['lib'],
  'puzzle':     ['lib'],
  'lib':        [],
  'widget':     ['puzzle', 'lib'],
};

/** Faces of the front door share what lies beside them, never each other. */
const FACES = ['http/hot', 'http/api', 'http/portal'];

/** Every package has its rooms, so that replacing one is an afternoon. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  elysia: ['http'],
  '@elysiajs/swagger': ['http'],
  'swagger-ui-dist': ['http'],
  croner: ['background'],
  'drizzle-orm': ['store'],
  'bun:sqlite': ['store'],
  '@node-rs/argon2': ['platform', 'crypto.ts'],
  // Bounded memories: of spent puzzles, of rows, and of rates, whose buckets never leave http.
  'lru-cache': ['captcha', 'store', 'http'],
  otpauth: ['platform'],
  tldts: ['model'],
  uplot: ['http'],
  uqr: ['http'],
};

/** What Bun and Node bring. The rooms that are not named here have none of it: they are pure, or a browser's. */
const BUILT_INS: Readonly<Record<string, readonly string[]>> = {
  cli: ['node:'],
  'app.ts': ['node:path'],
  'config.ts': ['node:fs'],
  'commonPasswords.ts': ['node:fs', 'node:zlib'],
  http: ['node:'],
  background: ['node:'],
  platform: ['node:crypto', 'node:dns', 'node:net'],
  store: ['node:'],
  // The checksum of an API key.
  model: ['node:zlib'],
};

/** What lies outside of `src` and goes into the binary. */
const EMBEDDED: Readonly<Record<string, readonly string[]>> = {
  'commonPasswords.ts': ['static/'],
  'files.ts': ['bundle.ts', 'static/'],
  'version.ts': ['package.json'],
  store: ['migrations/'],
  http: ['static/'],
};

type Import = {
  readonly file: string;
  readonly room: string;
  /** A path from the root, or the name of a package. */
  readonly target: string;
  readonly isOurs: boolean;
};

/** `src/http/hot/puzzle.ts` is in `http`, `src/app.ts` in `app.ts`. */
const roomOf = (file: string) => file.split('/')[1] ?? '';

async function importsOf(file: string): Promise<Import[]> {
  const { importedFiles } = preProcessFile(await textOf(file), true, true);
  return importedFiles.map(({ fileName }) => {
    const isOurs = fileName.startsWith('.');
    const target = isOurs ? posix.join(posix.dirname(file), fileName) : fileName;
    return { file, room: roomOf(file), target, isOurs };
  });
}

const files = filesAt('src/**/*.ts').filter(
  (file) => !file.endsWith('.d.ts') && !file.startsWith('src/widget/kernel/'),
);
const imports = (await Promise.all(files.map(importsOf))).flat();
const show = ({ file, target }: Import) => `${file} -> ${target}`;

const packageOf = (target: string) =>
  Object.keys(PACKAGES).find((name) => target === name || target.startsWith(`${name}/`));

describe('the floor plan', () => {
  test('is held against values, types and embedded files alike', () => {
    const seen = imports.map(show);
    // A type alone.
    expect(seen).toContain('src/crypto.ts -> src/captcha/signature.ts');
    expect(seen).toContain('src/files.ts -> static/demo.css');
    expect(seen).toContain('src/store/sqlite/schema.ts -> drizzle-orm/sqlite-core');
  });

  test('has a place for every room', () => {
    expect(files.length).toBeGreaterThan(50);
    const rooms = [...new Set(files.map(roomOf))];
    expect(rooms.filter((room) => !(room in FLOOR_PLAN))).toEqual([]);
  });

  test('imports go down only, types too', () => {
    const wrong = imports.filter(({ room, target }) => {
      if (!target.startsWith('src/')) return false;
      const other = roomOf(target);
      return other !== room && !FLOOR_PLAN[room]?.includes(other);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('the plan itself has no way up', () => {
    const rooms = Object.keys(FLOOR_PLAN);
    const below = (room: string, seen: readonly string[] = []): string[] =>
      (FLOOR_PLAN[room] ?? []).flatMap((next) =>
        seen.includes(next) ? [next] : [next, ...below(next, [...seen, next])],
      );
    expect(rooms.filter((room) => below(room).includes(room))).toEqual([]);
  });

  test('faces do not know each other', () => {
    const faceOf = (file: string) => FACES.find((face) => file.startsWith(`src/${face}/`));
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [faceOf(file), faceOf(target)];
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('what is outside of src is imported where it is put into the binary', () => {
    const wrong = imports.filter(({ room, target, isOurs }) => {
      if (!isOurs || target.startsWith('src/')) return false;
      return !EMBEDDED[room]?.some((place) => target.startsWith(place));
    });
    expect(wrong.map(show)).toEqual([]);
  });
});

describe('packages', () => {
  test('live in their rooms', () => {
    const wrong = imports.filter(({ room, target, isOurs }) => {
      if (isOurs || target.startsWith('node:')) return false;
      const name = packageOf(target);
      return name === undefined || !PACKAGES[name]?.includes(room);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('that the table names and the program needs are the same', async () => {
    const { dependencies } = JSON.parse(await textOf('package.json')) as {
      dependencies: Record<string, string>;
    };
    const unnamed = Object.keys(dependencies).filter((name) => !(name in PACKAGES));
    expect(unnamed).toEqual([]);
    const versions = Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version));
    expect(versions).toEqual([]);
  });

  test('of the run time are used where they may be', () => {
    const wrong = imports.filter(({ room, target }) => {
      if (!target.startsWith('node:')) return false;
      return !BUILT_INS[room]?.some(
        (allowed) => target === allowed || (allowed === 'node:' && target.startsWith(allowed)),
      );
    });
    expect(wrong.map(show)).toEqual([]);
  });
});

describe('pure rooms', () => {
  const PURE = ['lib', 'puzzle', 'model', 'captcha', 'platform'];
  // The platform's clock and randomness are named once, and handed around from there.
  const SOURCES = ['src/lib/time.ts', 'src/lib/ids.ts'];
  const SURROUNDINGS =
    /\b(Date\.now|new Date\(\)|Math\.random|getRandomValues|performance\.now|setTimeout|setInterval|Bun\.|process\.|fetch\()/;

  test('get the time, randomness and the machine handed in', async () => {
    const wrong = [];
    for (const file of files) {
      if (!PURE.includes(roomOf(file)) || SOURCES.includes(file)) continue;
      const code = (await textOf(file)).replace(/^\s*(\*|\/\*|\/\/).*$/gm, '');
      const found = SURROUNDINGS.exec(code)?.[0];
      if (found !== undefined) wrong.push(`${file}: ${found}`);
    }
    expect(wrong).toEqual([]);
  });
});
