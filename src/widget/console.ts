/** Writes to the console. */
export function log(message: unknown): void {
  // biome-ignore lint/suspicious/noConsole: for the owner of the website; the widget's own messages are for visitors
  console.error('[postern]', message);
}
