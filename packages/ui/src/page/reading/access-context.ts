import { createContext } from 'preact';
import type { Access } from './access.ts';

/** What is shown to the collector, and how another is given. */
export interface AccessGiven {
  readonly access: Access;
  readonly give: (access: Access) => void;
}

/** The access of the parts of the page. */
export const AccessContext = createContext<AccessGiven>({ access: { token: '', tenant: '' }, give: () => undefined });
