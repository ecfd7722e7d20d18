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

const page = await textOf('docs/dependencies.md');
const ours = JSON.parse(await textOf('package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly trustedDependencies: readonly string[];
};

const manifestOf = async (name: string) =>
  JSON.parse(await textOf(`node_modules/${name}/package.json`)) as Manifest;

/** Everything that is installed because a run-time package needs it, by name. */
async function brought(): Promise<readonly string[]> {
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

describe('docs/dependencies.md', () => {
  test('lists the run-time packages of package.json, with version and licence as installed', async () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| (\d[\w.-]*) \| ([\w.-]+) \|/gm)];
    const told = rows.map(([, name, version, licence]) => ({ name, version, licence }));
    const installed = await Promise.all(
      Object.entries(ours.dependencies).map(async ([name, version]) => {
        const manifest = await manifestOf(name);
        expect([name, manifest.version]).toEqual([name, version]);
        return { name, version, licence: manifest.license };
      }),
    );
    expect(told).toEqual(installed);
  });

  test('says why of each', () => {
    for (const name of Object.keys(ours.dependencies)) expect(page).toContain(`\n### ${name}\n`);
  });

  test('lists what comes with them, with its licence', async () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| ([\w.-]+) \|$/gm)];
    const told = rows.map(([, name, licence]) => ({ name, licence }));
    const names = await brought();
    const installed = await Promise.all(
      names.map(async (name) => ({ name, licence: (await manifestOf(name)).license })),
    );
    expect(told).toEqual(installed);
  });

  test('names the packages for development, and the version of Bun', () => {
    for (const name of Object.keys(ours.devDependencies)) expect(page).toContain(`\`${name}\``);
    expect(page.replace(/\s+/g, ' ')).toContain(`\`bun\` ${ours.devDependencies.bun}`);
  });
});

// Without a list of ours, Bun trusts one of its own, and a package of Swagger UI's reported home from its install script.
test('only Bun itself runs a script when packages are installed', () => {
  expect(ours.trustedDependencies).toEqual(['bun']);
});
