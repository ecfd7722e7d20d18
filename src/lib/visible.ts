/** Control and format characters, and what breaks lines: they act on a terminal, or change what stands beside them. */
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @returns the text with U+FFFD in the place of each character that would not be seen, but act */
export function visibleOf(text: string): string {
  return text.replace(ACTING, '\ufffd');
}
