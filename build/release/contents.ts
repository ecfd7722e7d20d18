import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { COMMANDS } from '../../src/cli/commands.ts';
import { toBash, toFish, toZsh } from '../../src/cli/completions/completions.ts';
import { toGrammar } from '../../src/cli/completions/grammar.ts';
import { ROOT } from '../build.ts';
import type { StagedFile } from './archives.ts';

/** The contents of the archives, except for the executable. All platforms share the same texts. */
export type Texts = {
  readonly manPage: string;
  readonly thirdPartyLicenses: string;
  readonly sbom: string;
};

/** @param binary the path of the executable @returns the files of a tarball */
export function tarballFiles(binary: string, texts: Texts): readonly StagedFile[] {
  const { bash, zsh, fish } = completions();
  return [
    { path: 'postern', content: { copyOf: binary }, mode: 0o755 },
    text('postern.service', source('deploy/systemd/postern.service')),
    text('postern.env', source('deploy/systemd/postern.env')),
    text('postern.1', texts.manPage),
    text('completions/postern.bash', bash),
    text('completions/_postern', zsh),
    text('completions/postern.fish', fish),
    text('LICENSE', source('LICENSE')),
    text('CHANGELOG.md', source('CHANGELOG.md')),
    text('THIRD-PARTY-LICENSES.txt', texts.thirdPartyLicenses),
    text('postern.cdx.json', texts.sbom),
  ];
}

/** @param binary the path of the executable @returns the files of a Debian or RPM package */
export function packageFiles(binary: string, texts: Texts, kind: 'deb' | 'rpm'): readonly StagedFile[] {
  const { bash, zsh, fish } = completions();
  const documentation = 'usr/share/doc/postern';
  const zshFolder = kind === 'deb' ? 'vendor-completions' : 'site-functions';
  return [
    { path: 'usr/bin/postern', content: { copyOf: binary }, mode: 0o755 },
    text('usr/lib/systemd/system/postern.service', source('deploy/systemd/postern.service')),
    // May contain secrets.
    { path: 'etc/postern/postern.env', content: source('deploy/systemd/postern.env'), mode: 0o600 },
    text('usr/share/man/man1/postern.1.gz', compress(texts.manPage)),
    text('usr/share/bash-completion/completions/postern', bash),
    text(`usr/share/zsh/${zshFolder}/_postern`, zsh),
    text('usr/share/fish/vendor_completions.d/postern.fish', fish),
    text(`${documentation}/${kind === 'deb' ? 'copyright' : 'LICENSE'}`, source('LICENSE')),
    text(`${documentation}/changelog.gz`, compress(source('CHANGELOG.md'))),
    text(`${documentation}/THIRD-PARTY-LICENSES.txt.gz`, compress(texts.thirdPartyLicenses)),
    text(`${documentation}/postern.cdx.json.gz`, compress(texts.sbom)),
  ];
}

function completions() {
  const grammar = toGrammar(COMMANDS);
  return { bash: toBash(grammar), zsh: toZsh(grammar), fish: toFish(grammar) };
}

function text(path: string, content: string | Uint8Array): StagedFile {
  return { path, content, mode: 0o644 };
}

function source(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Compresses with the gzip of the pinned Bun, without a timestamp or a file name. */
function compress(content: string): Uint8Array {
  return gzipSync(content, { level: 6 });
}
