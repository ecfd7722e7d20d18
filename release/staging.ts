import { chmodSync, copyFileSync, lutimesSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of a package or tarball. */
export type StagedFile = {
  /** Relative to the root of the package. */
  readonly path: string;
  /** The content, or the path of a file to copy. */
  readonly content: string | Uint8Array | { readonly copyOf: string };
  /** The permissions, for example 0o644. */
  readonly mode: number;
};

/**
 * Writes the files into a new folder. All files and folders get the time of the release, and folders the mode 0755, so that the
 * archives do not depend on the machine.
 *
 * @param epoch the time of the release, in seconds
 */
export function stageFiles(folder: string, files: readonly StagedFile[], epoch: number): void {
  mkdirSync(folder, { recursive: true });
  for (const { path, content, mode } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    if (typeof content === 'object' && 'copyOf' in content) copyFileSync(content.copyOf, target);
    else writeFileSync(target, content);
    chmodSync(target, mode);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, epoch, epoch);
}
