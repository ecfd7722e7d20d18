import type { PosternApi } from './postern.js';

/** Where the script comes from. */
export interface PosternSource {
  /** The URL of the Postern server, such as `https://captcha.example.com`. */
  readonly server: string;
  /** The script's URL if it is not `/widget/postern.js` on the server, for example to pin a build. */
  readonly script?: string | undefined;
  /** The hash of a pinned build, `sha384-…`. */
  readonly integrity?: string | undefined;
  /** The nonce of the page's content security policy. */
  readonly nonce?: string | undefined;
}

const loading = new Map<string, Promise<PosternApi>>();

/**
 * Loads the server's script once, unless the page already has it. After a failure, the next call tries again.
 *
 * @throws (rejects) if the script cannot be loaded
 */
export function loadPostern({ server, script, integrity, nonce }: PosternSource): Promise<PosternApi> {
  if (window.postern) return Promise.resolve(window.postern);
  const src = script ?? new URL('/widget/postern.js', server).href;
  const known = loading.get(src);
  if (known !== undefined) return known;
  const tag = document.createElement('script');
  tag.async = true;
  if (nonce) tag.nonce = nonce;
  if (integrity) Object.assign(tag, { integrity, crossOrigin: 'anonymous' });
  tag.src = src;
  const loaded = new Promise<PosternApi>((resolve, reject) => {
    const fail = () => {
      loading.delete(src);
      tag.remove();
      reject(new Error(`the script ${src} could not be loaded`));
    };
    tag.addEventListener('error', fail);
    tag.addEventListener('load', () => (window.postern ? resolve(window.postern) : fail()));
  });
  loading.set(src, loaded);
  document.head.append(tag);
  return loaded;
}
