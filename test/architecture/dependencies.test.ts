import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from './tree.ts';

type Manifest = {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
};

const page = await textOf('docs/project/dependencies.md');
const ours = JSON.parse(await textOf('package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly trustedDependencies: readonly string[];
};

const manifestOf = async (name: string) =>
  JSON.parse(await textOf(`node_modules/${name}/package.json`)) as Manifest;

/** The names of the packages that are installed because a runtime package requires them. */
async function transitiveDependencies(): Promise<readonly string[]> {
  const direct = Object.keys(ours.dependencies);
  const found = new Set(direct);
  for (const name of found) {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = await manifestOf(name);
    const peers = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true,
    );
    for (const next of [...Object.keys(dependencies), ...peers]) {
      if (existsSync(join(ROOT, 'node_modules', next))) found.add(next);
    }
  }
  return [...found].filter((name) => !direct.includes(name)).sort();
}

describe('docs/project/dependencies.md', () => {
  test('lists the runtime packages of package.json with the installed version and license', async () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| (\d[\w.-]*) \| ([\w.-]+) \|/gm)];
    const listed = rows.map(([, name, version, license]) => ({ name, version, license }));
    const installed = await Promise.all(
      Object.entries(ours.dependencies).map(async ([name, version]) => {
        const manifest = await manifestOf(name);
        expect([name, manifest.version]).toEqual([name, version]);
        return { name, version, license: manifest.license };
      }),
    );
    expect(listed).toEqual(installed);
  });

  test('gives the reason for each runtime package', () => {
    for (const name of Object.keys(ours.dependencies)) expect(page).toContain(`\n### ${name}\n`);
  });

  test('lists the transitive dependencies with their licenses', async () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| ([\w.-]+|\([\w. -]+\)) \|$/gm)];
    const listed = rows.map(([, name, license]) => ({ name, license }));
    const names = await transitiveDependencies();
    const installed = await Promise.all(
      names.map(async (name) => ({ name, license: (await manifestOf(name)).license })),
    );
    expect(listed).toEqual(installed);
  });

  test('names the development packages and the version of Bun', () => {
    for (const name of Object.keys(ours.devDependencies)) expect(page).toContain(`\`${name}\``);
    expect(page.replace(/\s+/g, ' ')).toContain(`\`bun\` ${ours.devDependencies.bun}`);
  });
});

// By default, Bun trusts a built-in list of packages, and the install script of a package of Swagger UI sent data to its vendor.
test('no package except Bun runs an install script', () => {
  expect(ours.trustedDependencies).toEqual(['bun']);
});
