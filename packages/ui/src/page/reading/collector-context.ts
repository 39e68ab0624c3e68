import { type CollectorQuestions, HttpCollectorQuestions } from '@reenact/collector-client/collector-questions';
import { createContext } from 'preact';
import type { Access } from './access.ts';

/** Asks the collector that served this page, below a proxy's path, too. */
export function collectorFor({ token, tenant }: Access): CollectorQuestions {
  return new HttpCollectorQuestions({ url: new URL('.', location.href).href, token, tenant });
}

/** The collector that the parts of the page ask. */
export const CollectorContext = createContext<CollectorQuestions>(collectorFor({ token: '', tenant: '' }));
