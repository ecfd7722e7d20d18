/** The values of the widget's attributes by their names in `dataset`; the first one is the default. */
export const WIDGET_CHOICES = {
  startMode: ['auto', 'click', 'load'],
  displayMode: ['widget', 'popup', 'hidden', 'inline'],
  theme: ['light', 'dark', 'auto'],
  branding: ['logo', 'name', 'none'],
} as const;
