/** A platform that the release contains an executable for. */
export type Target = {
  /** Part of the names of its files. */
  readonly name: string;
  readonly bun: Bun.Build.CompileTarget;
  /** The npm package that contains Bun for this platform. */
  readonly runtime: string;
  /** The npm package that contains the native part of `@node-rs/argon2`. */
  readonly addon: string;
  /** The architecture's name in Debian and RPM packages; undefined if there is no package. */
  readonly packages: { readonly deb: string; readonly rpm: string } | undefined;
};

/**
 * All platforms. Bun's executable for x64 needs only SSE4.2 and detects AVX2 at run time, so one executable is enough for x64:
 * the npm package `@oven/bun-linux-x64-baseline` contains the same bytes as `@oven/bun-linux-x64` (docs/how-to/release.md).
 */
export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    bun: 'bun-linux-x64',
    runtime: '@oven/bun-linux-x64',
    addon: '@node-rs/argon2-linux-x64-gnu',
    packages: { deb: 'amd64', rpm: 'x86_64' },
  },
  {
    name: 'linux-x64-musl',
    bun: 'bun-linux-x64-musl',
    runtime: '@oven/bun-linux-x64-musl',
    addon: '@node-rs/argon2-linux-x64-musl',
    packages: undefined,
  },
  {
    name: 'linux-arm64',
    bun: 'bun-linux-arm64',
    runtime: '@oven/bun-linux-aarch64',
    addon: '@node-rs/argon2-linux-arm64-gnu',
    packages: { deb: 'arm64', rpm: 'aarch64' },
  },
  {
    name: 'linux-arm64-musl',
    bun: 'bun-linux-arm64-musl',
    runtime: '@oven/bun-linux-aarch64-musl',
    addon: '@node-rs/argon2-linux-arm64-musl',
    packages: undefined,
  },
];
