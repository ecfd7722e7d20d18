import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build.ts';
import type { BundledPackage } from './bundledPackages.ts';

/** License texts of packages that publish none, and of programs that are not packages. */
const TEXTS = join(ROOT, 'build/release/licenses');

/** The texts of packages that do not contain their license. Their names are in `TEXTS`. */
const MISSING: Readonly<Record<string, string>> = {
  'drizzle-orm': 'Apache-2.0.txt',
  // The texts are in their README files.
  'agent-base': 'agent-base.txt',
  'https-proxy-agent': 'agent-base.txt',
};

/** The bundle of Swagger UI contains other packages, whose licenses are in this file. */
const ADDITIONAL: Readonly<Record<string, string>> = {
  'swagger-ui-dist': 'swagger-ui-bundle.js.LICENSE.txt',
};

/**
 * Returns the content of THIRD-PARTY-LICENSES.txt: the license text of each package in the executables, of Bun, of the native
 * add-on, and of the list of common passwords.
 *
 * @throws if a package has no license text
 */
export function toThirdPartyLicenses(packages: readonly BundledPackage[]): string {
  const sections = [
    INTRODUCTION,
    ...packages.flatMap((item) =>
      item.folder === undefined ? [] : [toSection(titleOf(item), textsOf(item))],
    ),
    ...['@node-rs/argon2'].map((name) => toSection(`${name} (native add-on, MIT)`, addonTexts(name))),
    toSection('Bun', ['bun.txt', 'LGPL-2.1.txt', 'Apache-2.0.txt'].map(readText)),
    toSection('Common passwords', [read(join(ROOT, 'static/commonPasswords.LICENSE.txt'))]),
  ];
  return `${sections.join('\n\n')}\n`;
}

const INTRODUCTION = `The executable "postern" contains the third-party software below. Postern itself is available under the
MIT license, which is in the file LICENSE (Debian package: copyright).`;

function toSection(title: string, texts: readonly string[]): string {
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${texts.map((text) => text.trim()).join(`\n\n${'-'.repeat(80)}\n\n`)}`;
}

function titleOf({ name, version, license }: BundledPackage): string {
  return `${name} ${version} (${license})`;
}

function textsOf({ name, folder = '' }: BundledPackage): readonly string[] {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file));
  const fallback = MISSING[name];
  const texts = [
    ...[...files, ...[ADDITIONAL[name]].filter((file) => file !== undefined)]
      .sort()
      .map((file) => read(join(folder, file))),
    ...(fallback === undefined ? [] : [readText(fallback)]),
  ];
  if (texts.every((text) => text.trim() === '')) {
    throw new Error(`the package ${name} contains no license text; add it to build/release/licenses`);
  }
  return texts;
}

function addonTexts(name: string): readonly string[] {
  return [read(join(ROOT, 'node_modules', name, 'LICENSE')), readText('argon2-addon.txt')];
}

function readText(name: string): string {
  return read(join(TEXTS, name));
}

function read(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
}
