import { fileURLToPath } from 'node:url';

/**
 * The folder of the page as a server hands it out: `index.html`, `app.js` and `app.css`, which ask the collector's API of the address
 * that they came from. Absolute, and ends with a separator. The same from the sources, once the package is built.
 */
export const PAGE_DIRECTORY: string = fileURLToPath(new URL('../dist/page/', import.meta.url));
