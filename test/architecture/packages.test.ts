import { expect, test } from 'bun:test';
import { posix } from 'node:path';
import { preProcessFile } from 'typescript';
import { filesAt, textOf } from './tree.ts';

/** The folders in `packages/`, which are published to npm. */
const PACKAGES = [...new Set(filesAt('packages/*/package.json').map((file) => posix.dirname(file)))];

async function foreignImports(folder: string): Promise<readonly string[]> {
  const { peerDependencies = {} } = JSON.parse(await textOf(`${folder}/package.json`)) as {
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  const peers = Object.keys(peerDependencies);
  const found: string[] = [];
  for (const file of filesAt(`${folder}/src/*.{ts,svelte}`)) {
    const { importedFiles } = preProcessFile(await textOf(file), true, true);
    for (const { fileName } of importedFiles) {
      const isOwn = fileName.startsWith('./');
      const isPeer = peers.some((peer) => fileName === peer || fileName.startsWith(`${peer}/`));
      if (!isOwn && !isPeer) found.push(`${file} -> ${fileName}`);
    }
  }
  return found;
}

test.each(PACKAGES)('%s imports only its own files and its peers', async (folder) => {
  expect(await foreignImports(folder)).toEqual([]);
});

test('the packages are those that the build and the release know', async () => {
  const { NPM_PACKAGES } = await import('../../build/packages.ts');
  expect(PACKAGES.map((folder) => posix.basename(folder))).toEqual([...NPM_PACKAGES].sort());
});
