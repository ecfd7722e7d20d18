import { hashOf } from './etag.ts';

type Named = { readonly path: string; readonly contents: string | Uint8Array };

/** `/widget/postern.js` as `/widget/postern.0123456789abcdef.js`. */
export function hashedPath({ path, contents }: Named): string {
  return path.replace(/(\.\w+)$/, `.${hashOf(contents)}$1`);
}

/** What pages write beside the hashed path: `sha384-…` (W3C Subresource Integrity, section 3.2). */
export function integrityOf(
  { contents }: Pick<Named, 'contents'>,
  algorithm: 'sha256' | 'sha384' = 'sha384',
): string {
  return `${algorithm}-${new Bun.CryptoHasher(algorithm).update(contents).digest('base64')}`;
}
