import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../build/build.ts';
import { compile } from '../../build/compile.ts';
import { type BundledPackage, findBundledPackages } from '../../build/release/bundledPackages.ts';
import { toThirdPartyLicenses } from '../../build/release/licenses.ts';
import { readLockfile } from '../../build/release/lockedPackages.ts';
import { toSbom, validateSbom } from '../../build/release/sbom.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-bundled-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RELEASE = { version: '1.2.3', versions: process.versions, epoch: 1_800_000_000 };

let packages: readonly BundledPackage[];
beforeAll(async () => {
  packages = await findBundledPackages(
    await compile(join(folder, 'postern'), undefined),
    await readLockfile(),
  );
});

test('every runtime package of package.json is in the executable, and docs/project/dependencies.md lists every package in the executable', async () => {
  const { dependencies } = await Bun.file(join(ROOT, 'package.json')).json();
  const names = packages.map(({ name }) => name);
  // Its native part is in the executable instead.
  const direct = Object.keys(dependencies).filter((name) => name !== '@node-rs/argon2');
  expect(names).toEqual(expect.arrayContaining(direct));
  const page = await Bun.file(join(ROOT, 'docs/project/dependencies.md')).text();
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

// Two folders with the same version of a package gave the bill of materials random identifiers.
test('a package that is installed in several folders is listed once, in the order of the names', () => {
  const ids = packages.map(({ name, version }) => `${name}@${version}`);
  expect(ids).toEqual([...new Set(ids)].sort());
});

describe('THIRD-PARTY-LICENSES.txt', () => {
  test('contains the license of every package, of Bun, of the native add-on, and of the common passwords', () => {
    const text = toThirdPartyLicenses(packages);
    const installed = packages.filter((item) => item.folder !== undefined);
    expect(installed.length).toBeGreaterThan(20);
    for (const { name, version, license } of installed)
      expect(text).toContain(`\n${name} ${version} (${license})\n`);
    for (const title of ['Bun', '@node-rs/argon2 (native add-on, MIT)', 'Common passwords']) {
      expect(text).toContain(`\n${title}\n${'='.repeat(80)}\n`);
    }
    expect(text).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
  });

  test('cannot be created if a package has no license text', async () => {
    await Bun.write(join(folder, 'bare/package.json'), '{}');
    const bare = {
      name: 'bare',
      version: '1.0.0',
      integrity: 'sha512-',
      license: 'MIT',
      folder: join(folder, 'bare'),
    };
    expect(() => toThirdPartyLicenses([...packages, bare])).toThrow(
      'the package bare contains no license text',
    );
  });
});

describe('the SBOM', () => {
  test('lists every package with its version, license, and hash', async () => {
    const { components, metadata } = JSON.parse(await toSbom(packages, RELEASE));
    expect(metadata.component).toMatchObject({ name: 'postern', version: '1.2.3' });
    expect(metadata.timestamp).toBe('2027-01-15T08:00:00.000Z');
    expect(components).toHaveLength(packages.length);
    expect(components).toContainEqual(
      expect.objectContaining({
        name: 'elysia',
        purl: expect.stringMatching(/^pkg:npm\/elysia@\d/),
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      }),
    );
  });

  test('lists the libraries in Bun', async () => {
    const { components } = JSON.parse(await toSbom(packages, RELEASE));
    const bun = components.find(({ name }: { readonly name: string }) => name === 'bun-linux-x64');
    expect(bun.components).toContainEqual(
      expect.objectContaining({ name: 'sqlite', version: process.versions.sqlite }),
    );
  });

  test('matches the schema of CycloneDX, which rejects a changed document', async () => {
    const text = await toSbom(packages, RELEASE);
    await validateSbom(text);
    const { bomFormat, ...rest } = JSON.parse(text);
    expect(bomFormat).toBe('CycloneDX');
    const error = await validateSbom(JSON.stringify(rest)).catch((reason) => reason);
    expect(String(error)).toContain("must have required property 'bomFormat'");
  });
});
