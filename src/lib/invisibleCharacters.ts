/** Control and format characters and line separators, which can change how a terminal or a page shows the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @returns the text with each invisible character replaced by U+FFFD */
export function replaceInvisible(text: string): string {
  return text.replace(INVISIBLE, '\ufffd');
}
