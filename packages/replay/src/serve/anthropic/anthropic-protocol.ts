import { type Crossing, ReenactError } from '@reenact/trace-model';
import type { ServedBoundary, ServeProtocol } from '../serve-protocol.ts';
import { isUnsent } from '../unsent-call.ts';
import { anthropicProblem } from './anthropic-problem.ts';

const messages: ServedBoundary = { kind: 'model', name: 'anthropic.messages' };

/** By the end of the path, so that any base URL will do; OpenAI's assistants have messages, too, below their threads. */
function boundaryOfPath(path: string): ServedBoundary | undefined {
  return /(?:^|\/)messages\/?$/.test(path) && !/(?:^|\/)threads\//.test(path) ? messages : undefined;
}

function servedAt(crossing: Crossing): ServedBoundary | undefined {
  const { kind, name, call, exchanges, dialect } = crossing;
  if (kind !== 'model' || isUnsent(crossing)) return undefined;
  const [exchange] = exchanges;
  if (exchange !== undefined && URL.canParse(exchange.request.url)) {
    return boundaryOfPath(new URL(exchange.request.url).pathname);
  }
  // Named here so that a recording without exact bytes is refused before the agent runs, and not in the middle.
  if (dialect !== 'reenact') return name.startsWith('anthropic.') ? messages : undefined;
  // A model boundary that wraps a function holds a value, not an answer of a provider.
  return call === 'exchange' && name === messages.name ? messages : undefined;
}

/** Anthropic's HTTP API as far as agents use it: messages, streamed or not. */
export const anthropicProtocol: ServeProtocol = {
  name: 'anthropic',
  // Without /v1: clients of this API bring it themselves.
  environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'reenact-serve' }),
  boundaryOf: ({ method, path }) => (method === 'POST' ? boundaryOfPath(path) : undefined),
  plainAnswer: () => undefined,
  servedAt,
  rebuilds: () => false,
  rebuild: ({ path }) => {
    throw new ReenactError('unsupported', `The answer of ${path} cannot be put together from GenAI attributes.`, {
      where: path,
      next: 'Record it with Reenact.',
    });
  },
  problem: anthropicProblem,
};
