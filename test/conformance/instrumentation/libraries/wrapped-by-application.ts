import type { FidelityLibrary } from '../fidelity-library.ts';

/** What is the same of every client that an application wraps itself: nothing of the library is patched. */
export const wrappedByApplication = {
  patched: () => [],
  applications: { why: 'Nothing is patched: the application wraps its own client, however it is loaded.' },
} as const satisfies Pick<FidelityLibrary, 'patched' | 'applications'>;
