import { bundledDocs } from '../../build/documentation/pages.ts' with { type: 'macro' };
import dashboardDark from '../../docs/images/dashboard-dark.png' with { type: 'file' };
import dashboardLight from '../../docs/images/dashboard-light.png' with { type: 'file' };
import swaggerDark from '../../docs/images/swagger-dark.png' with { type: 'file' };
import swaggerLight from '../../docs/images/swagger-light.png' with { type: 'file' };
import widgetDark from '../../docs/images/widget-dark.png' with { type: 'file' };
import widgetLight from '../../docs/images/widget-light.png' with { type: 'file' };
import type { BundledDocs, DocsPicture } from '../http/docs/docs.ts';

/** The pages of the documentation. */
export const DOCS: BundledDocs = bundledDocs();

/** The pictures of the documentation, which are read when they are requested. */
export const DOCS_PICTURES: readonly DocsPicture[] = [
  { path: 'images/dashboard-dark.png', file: dashboardDark },
  { path: 'images/dashboard-light.png', file: dashboardLight },
  { path: 'images/swagger-dark.png', file: swaggerDark },
  { path: 'images/swagger-light.png', file: swaggerLight },
  { path: 'images/widget-dark.png', file: widgetDark },
  { path: 'images/widget-light.png', file: widgetLight },
];
