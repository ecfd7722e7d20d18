/** Files that the bundler embeds as text. */
declare module '*.sql' {
  const text: string;
  export default text;
}

declare module '*.css' {
  const text: string;
  export default text;
}

declare module '*/static/pages.js' {
  const text: string;
  export default text;
}

declare module '*/static/docs.js' {
  const text: string;
  export default text;
}

declare module '*/static/demo.js' {
  const text: string;
  export default text;
}

declare module '*.svg' {
  const text: string;
  export default text;
}

declare module '*/static/portal.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalChartScales.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalLive.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalChart.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalDialogs.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalFilters.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalFirstProperty.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalLink.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalDesign.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalPalette.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalPlayground.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalShortcuts.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalPropertyForm.js' {
  const text: string;
  export default text;
}

declare module '*/static/portalTest.js' {
  const text: string;
  export default text;
}

declare module 'uplot/dist/uPlot.iife.min.js' {
  const text: string;
  export default text;
}

/** Files that the bundler embeds as files; the import is their path. */
declare module '*.txt.gz' {
  const path: string;
  export default path;
}

declare module '*.wasm' {
  const path: string;
  export default path;
}

declare module '*.png' {
  const path: string;
  export default path;
}

declare module 'swagger-ui-dist/*' {
  const path: string;
  export default path;
}

declare module '*/static/swagger.js' {
  const path: string;
  export default path;
}

/** An icon of Lucide: its shapes. */
declare module 'lucide/dist/esm/icons/*.mjs' {
  const shapes: readonly (readonly [tag: string, attributes: Readonly<Record<string, string | number>>])[];
  export default shapes;
}
