import { ListeningWatch } from '@reenact/instrumentation';
import type { ListeningAddress } from '../types.ts';

/** Who is told where servers of HTTP listen. */
export const httpListening = new ListeningWatch<ListeningAddress>('http-listening.1');
