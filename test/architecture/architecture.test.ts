import { describe, expect, test } from 'bun:test';
import { posix } from 'node:path';
import { preProcessFile } from 'typescript';
import { filesAt, textOf } from './tree.ts';

/** The dependency table of ARCHITECTURE.md: a folder in `src`, or a file directly in `src`, and what it may import. */
type Rule = {
  readonly folder: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
  /** `node:*` stands for every module of Node. */
  readonly builtIns: readonly string[];
};

const RULES: readonly Rule[] = (await textOf('ARCHITECTURE.md'))
  .split('\n| folder | may import | packages | built-in modules |\n|---|---|---|---|\n')
  .slice(1)
  .flatMap((rest) => rest.split('\n\n')[0]?.split('\n') ?? [])
  .map((row) => {
    const [folder = [], imports = [], packages = [], builtIns = []] = row
      .split('|')
      .slice(1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    return { folder: folder[0] ?? '', imports, packages, builtIns };
  });

const ruleOf = (folder: string) => RULES.find((rule) => rule.folder === folder);
const isNodeModule = (target: string) => target.startsWith('node:');

/** What is outside of `src` and embedded in the executable. */
const EMBEDDED: Readonly<Record<string, readonly string[]>> = {
  'commonPasswords.ts': ['static/'],
  server: ['build/', 'docs/images/', 'static/'],
  'version.ts': ['package.json'],
  storage: ['migrations/'],
  http: ['static/'],
  'http/docs': ['static/'],
  'http/demo': ['static/'],
  'http/openapi': ['static/'],
  'portal/i18n': ['static/'],
  'portal/kit': ['static/'],
  'portal/properties': ['build/highlight.ts'],
};

type Import = {
  readonly file: string;
  readonly folder: string;
  /** A path from the root, or the name of a package. */
  readonly target: string;
  readonly isOurs: boolean;
};

/** The row of a file, which is that of the innermost folder: `src/config.ts` is in `config.ts`. */
function folderOf(file: string): string {
  const rows = RULES.map(({ folder }) => folder).filter((folder) => `${file}/`.startsWith(`src/${folder}/`));
  return rows.toSorted((a, b) => b.length - a.length)[0] ?? topFolderOf(file);
}

const topFolderOf = (file: string) => file.split('/')[1] ?? '';

async function importsOf(file: string): Promise<Import[]> {
  const { importedFiles } = preProcessFile(await textOf(file), true, true);
  return importedFiles.map(({ fileName }) => {
    const isOurs = fileName.startsWith('.');
    const target = isOurs ? posix.join(posix.dirname(file), fileName) : fileName;
    return { file, folder: folderOf(file), target, isOurs };
  });
}

const files = filesAt('src/**/*.{ts,tsx}').filter(
  (file) => !file.endsWith('.d.ts') && !file.startsWith('src/widget/kernel/'),
);
const imports = (await Promise.all(files.map(importsOf))).flat();
const show = ({ file, target }: Import) => `${file} -> ${target}`;

describe('the dependency table', () => {
  test('is compared with imports of values, types, and embedded files', () => {
    const seen = imports.map(show);
    // Only a type is imported here.
    expect(seen).toContain('src/server/context.ts -> src/captcha/argon2idCheck.ts');
    expect(seen).toContain('src/http/demo/demoPage.tsx -> static/demo.css');
    expect(seen).toContain('src/storage/schema.ts -> drizzle-orm/pg-core');
  });

  test('has one row for each folder', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(RULES.map(({ folder }) => folder).sort()).toEqual([...new Set(files.map(folderOf))].sort());
  });

  test('has a row for each folder in a folder that imports its own folders', () => {
    const wrong = files.filter((file) => {
      const folder = folderOf(file);
      const isAbove = ruleOf(folder)?.imports.some((other) => other.startsWith(`${folder}/`)) === true;
      return isAbove && posix.dirname(file) !== `src/${folder}`;
    });
    expect(wrong).toEqual([]);
  });

  test('allows every import between folders', () => {
    const wrong = imports.filter(({ folder, target }) => {
      if (!target.startsWith('src/')) return false;
      const other = folderOf(target);
      return other !== folder && !ruleOf(folder)?.imports.includes(other);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('lists only folders, packages, and built-in modules that are imported', () => {
    const unused = RULES.flatMap(({ folder, imports: folders, packages, builtIns }) => {
      const targets = imports.filter((found) => found.folder === folder).map(({ target }) => target);
      const isImported = (name: string) => targets.some((target) => folderOf(target) === name);
      const isUsed = (name: string) =>
        targets.some((target) => target === name || target.startsWith(name.replace(/\*$/, '')));
      return [
        ...folders.filter((name) => !isImported(name)),
        ...[...packages, ...builtIns].filter((name) => !isUsed(name)),
      ].map((name) => `${folder} -> ${name}`);
    });
    expect(unused).toEqual([]);
  });

  test('has no cycle', () => {
    const below = (folder: string, seen: readonly string[] = []): string[] =>
      (ruleOf(folder)?.imports ?? []).flatMap((next) =>
        seen.includes(next) ? [next] : [next, ...below(next, [...seen, next])],
      );
    const cyclic = RULES.map(({ folder }) => folder).filter((folder) => below(folder).includes(folder));
    expect(cyclic).toEqual([]);
  });

  test('only the listed folders import files from outside of src', () => {
    const wrong = imports.filter(({ folder, target, isOurs }) => {
      if (!isOurs || target.startsWith('src/')) return false;
      return !EMBEDDED[folder]?.some((place) => target.startsWith(place));
    });
    expect(wrong.map(show)).toEqual([]);
  });
});

describe('packages', () => {
  const named = new Set(RULES.flatMap(({ packages }) => packages));

  test('are imported in the folders that the table lists', () => {
    const wrong = imports.filter(({ folder, target, isOurs }) => {
      if (isOurs || isNodeModule(target)) return false;
      return !ruleOf(folder)?.packages.some((name) => target === name || target.startsWith(`${name}/`));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('of package.json are all in the table, with exact versions', async () => {
    const { dependencies } = JSON.parse(await textOf('package.json')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).filter((name) => !named.has(name))).toEqual([]);
    const versions = Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version));
    expect(versions).toEqual([]);
  });

  test('built-in modules are imported in the folders that the table lists', () => {
    const wrong = imports.filter(({ folder, target }) => {
      if (!isNodeModule(target)) return false;
      const allowed = ruleOf(folder)?.builtIns ?? [];
      return !allowed.includes('node:*') && !allowed.includes(target);
    });
    expect(wrong.map(show)).toEqual([]);
  });
});

describe('pure folders', () => {
  const PURE = ['lib', 'puzzle', 'model', 'captcha', 'platform'];
  // These files define the system clock, random number generator, timers, and pacer; everything else receives them as arguments.
  const SOURCES = ['time', 'ids', 'periodic', 'timer', 'pacer'].map((name) => `src/lib/${name}.ts`);
  const ENVIRONMENT =
    /\b(Date\.now|new Date\(\)|Math\.random|getRandomValues|performance\.now|setTimeout|setInterval|Bun\.|process\.|fetch\()/;

  test('receive time, randomness, and the environment as arguments', async () => {
    const wrong = [];
    for (const file of files) {
      if (!PURE.includes(topFolderOf(file)) || SOURCES.includes(file)) continue;
      const code = (await textOf(file)).replace(/^\s*(\*|\/\*|\/\/).*$/gm, '');
      const found = ENVIRONMENT.exec(code)?.[0];
      if (found !== undefined) wrong.push(`${file}: ${found}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('secrets', () => {
  // Keyed hashes, whose keys are secrets, and comparisons of everything that proves the knowledge of a secret.
  const RULES: readonly (readonly [string, RegExp, string])[] = [
    ['keyed hashes', /\bcreateHmac\(['"]|\bnew Bun\.CryptoHasher\([^),]+,/, 'src/sha256.ts'],
    ['comparisons in constant time', /\btimingSafeEqual\b|\|=.* \^ /, 'src/lib/signatures.ts'],
  ];

  test.each(RULES)('%s are in one module', async (_, pattern, module) => {
    const found = [];
    for (const file of files) if (pattern.test(await textOf(file))) found.push(file);
    expect(found).toEqual([module]);
  });

  test('are not compared with operators', async () => {
    const name = String.raw`(?:mac|signature|\w*(?:Mac|Signature|[tT]okenHash))`;
    const comparison = new RegExp(
      String.raw`\b${name}(?:\([^()]*\))? [!=]==? (?!undefined)|[!=]==? (?:\w+\.)*${name}\b`,
    );
    const found = [];
    for (const file of files) {
      if (file.startsWith('src/widget/')) continue;
      const lines = (await textOf(file)).split('\n').filter((line) => comparison.test(line));
      found.push(...lines.map((line) => `${file}: ${line.trim()}`));
    }
    expect(found).toEqual([]);
  });
});

describe('SQLite connections', () => {
  // Connections that were closed with Bun's default kept their write-ahead log.
  test('are opened in one module, whose connections finalize their statements when they are closed', async () => {
    const opening = [];
    for (const file of files) {
      if (
        /import (?!type )[^;]*\bDatabase\b[^;]*from 'bun:sqlite'/.test(
          (await textOf(file)).replace(/\btype Database\b/g, ''),
        )
      )
        opening.push(file);
    }
    expect(opening).toEqual(['src/storage/sqlite/connection.ts']);
  });
});

describe('PostgreSQL connections', () => {
  // A connection without its parameters depends on the settings of the role.
  test('are opened in one module, which sets what the code depends on', async () => {
    const opening = [];
    for (const file of files) if (/\bnew (?:Bun\.)?SQL\(/.test(await textOf(file))) opening.push(file);
    expect(opening).toEqual(['src/storage/postgres/connect.ts']);
  });
});

describe('ARCHITECTURE.md', () => {
  test('names only files and folders that exist', async () => {
    const text = await textOf('ARCHITECTURE.md');
    const named = [...text.matchAll(/`([\w./*-]+(?:\/|\.(?:ts|json|md|sqlite)))`/g)].map(
      ([, name = '']) => name,
    );
    const known = new Set(
      filesAt('**/*.{ts,tsx,json,md,sql}').filter((file) => !file.startsWith('node_modules/')),
    );
    const exists = (name: string) =>
      ['', 'src/'].some((root) =>
        name.endsWith('/')
          ? [...known].some((file) => file.startsWith(`${root}${name}`) || file.includes(`/${name}`))
          : known.has(`${root}${name}`) || [...known].some((file) => file.endsWith(`/${name}`)),
      );
    const databases = ['claims.sqlite', 'postern.sqlite'];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !databases.includes(name) && !exists(name))).toEqual([]);
  });
});
