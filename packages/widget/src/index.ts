// biome-ignore lint/performance/noBarrelFile: the entry of the package
export {
  attributesOf,
  connect,
  type PosternCallbacks,
  type PosternConnection,
  type PosternProps,
} from './connect.js';
export { postForm, solutionOf } from './forms.js';
export { loadPostern, type PosternSource } from './load.js';
export type * from './postern.js';
