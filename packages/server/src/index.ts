// biome-ignore lint/performance/noBarrelFile: the entry of the package
export { type CaptchaOptions, type Rejection, rejectionOf, UnreadableForm, verifyForm } from './form.js';
export { type Verdict, type VerifyOptions, verify } from './verify.js';
