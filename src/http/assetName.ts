import { hashOf } from './etag.ts';

type Named = { readonly path: string; readonly contents: string | Uint8Array };

/** @returns a path with the hash of its contents: `/widget/postern.0123456789abcdef.js` for `/widget/postern.js` */
export function hashedPath({ path, contents }: Named): string {
  return path.replace(/(\.\w+)$/, `.${hashOf(contents)}$1`);
}

/** @returns the `integrity` attribute for the file, `sha384-…` (W3C Subresource Integrity, section 3.2) */
export function integrityOf(
  { contents }: Pick<Named, 'contents'>,
  algorithm: 'sha256' | 'sha384' = 'sha384',
): string {
  return `${algorithm}-${new Bun.CryptoHasher(algorithm).update(contents).digest('base64')}`;
}
