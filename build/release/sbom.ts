import { Enums, Models, Serialize, Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import type { BundledPackage } from './bundledPackages.ts';

/** The parts of `process.versions` that are libraries in Bun; the others are compatible interfaces or tools. */
const BUN_LIBRARIES = [
  'ares',
  'boringssl',
  'icu',
  'libarchive',
  'libdeflate',
  'llhttp',
  'lolhtml',
  'lshpack',
  'mimalloc',
  'picohttpparser',
  'sqlite',
  'tinycc',
  'usockets',
  'uwebsockets',
  'webkit',
  'zlib',
  'zstd',
] as const;

/** Crates in the native part of `@node-rs/argon2`. Its file contains their names and versions. */
const ADDON_CRATES = { 'argon2-rust': '1.1.0', hashbrown: '0.17.1', napi: '3.12.1', rand: '0.10.2' } as const;

/**
 * Returns the software bill of materials: CycloneDX 1.6 as JSON.
 *
 * @param versions the versions of Bun's libraries, as in `process.versions`
 * @param epoch the time of the release, in seconds
 * @throws if the document does not match the schema of CycloneDX
 */
export async function toSbom(
  packages: readonly BundledPackage[],
  release: {
    readonly version: string;
    readonly versions: Readonly<Record<string, string | undefined>>;
    readonly epoch: number;
  },
): Promise<string> {
  const bom = new Models.Bom();
  const postern = new Models.Component(Enums.ComponentType.Application, 'postern', {
    version: release.version,
    bomRef: 'postern',
  });
  postern.licenses.add(new Models.SpdxLicense('MIT'));
  bom.metadata.component = postern;
  bom.metadata.timestamp = new Date(release.epoch * 1000);
  for (const item of packages) {
    const component = toComponent(item);
    if (item.name.startsWith('@oven/bun-')) addBunLibraries(component, release.versions);
    if (item.name.startsWith('@node-rs/argon2-')) addCrates(component);
    bom.components.add(component);
    postern.dependencies.add(component.bomRef);
  }
  return serialize(bom);
}

function toComponent({ name, version, integrity, license }: BundledPackage): Models.Component {
  const [scope, base] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = new PackageURL('npm', scope, base, version, undefined, undefined);
  const component = new Models.Component(Enums.ComponentType.Library, base ?? name, {
    ...(scope === undefined ? {} : { group: scope }),
    version,
    bomRef: `${name}@${version}`,
    purl: purl.toString(),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-512'], toHex(integrity)]]),
  });
  component.licenses.add(new Models.SpdxLicense(license));
  return component;
}

/** @param integrity `sha512-` and base64 */
function toHex(integrity: string): string {
  return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
}

function addBunLibraries(
  bun: Models.Component,
  versions: Readonly<Record<string, string | undefined>>,
): void {
  for (const name of BUN_LIBRARIES) {
    const version = versions[name];
    if (version === undefined) throw new Error(`Bun does not report the version of ${name}`);
    addPart(bun, name, version);
  }
}

function addCrates(addon: Models.Component): void {
  for (const [name, version] of Object.entries(ADDON_CRATES)) {
    addPart(addon, name, version, new PackageURL('cargo', undefined, name, version, undefined, undefined));
  }
}

function addPart(parent: Models.Component, name: string, version: string, purl?: PackageURL): void {
  parent.components.add(
    new Models.Component(Enums.ComponentType.Library, name, {
      version,
      bomRef: `${parent.bomRef.value}/${name}@${version}`,
      ...(purl === undefined ? {} : { purl: purl.toString() }),
    }),
  );
}

async function serialize(bom: Models.Bom): Promise<string> {
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  const text = serializer.serialize(bom, { sortLists: true, space: 2 });
  await validateSbom(text);
  return `${text}\n`;
}

/** @throws with all errors, if the text does not match the schema of CycloneDX 1.6 */
export async function validateSbom(text: string): Promise<void> {
  const errors = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
  if (errors !== null) throw new Error(`the SBOM is invalid: ${JSON.stringify(errors)}`);
}
