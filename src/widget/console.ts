/** Logs a message if the element has `data-debug="true"`. */
export function warn(element: HTMLElement, message: string): void {
  if (element.dataset.debug === 'true') log(message);
}

export function log(message: string): void {
  // biome-ignore lint/suspicious/noConsole: for the owner of the website; the widget's own messages are for visitors
  console.error('[postern]', message);
}
