import { readdirSync, readlinkSync } from 'node:fs';

const DESCRIPTORS = '/proc/self/fd';

/** @returns the paths of the files in a folder that this process has open */
export function openFilesIn(folder: string): readonly string[] {
  return readdirSync(DESCRIPTORS).flatMap((descriptor) => {
    try {
      const path = readlinkSync(`${DESCRIPTORS}/${descriptor}`);
      return path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      // Closed in the meantime, such as the descriptor of the list.
      return [];
    }
  });
}
