export { PAGE_DIRECTORY } from './page-directory.ts';
