import type { Exchange, Outcome, Payload } from '@reenact/trace-model';
import type { CrossingDraft } from './dialect.ts';

function emptied(payload: Payload | undefined): Payload | undefined {
  if (payload === undefined) return undefined;
  const { format, digest, data } = payload;
  return data === undefined ? { format, digest } : { format, digest, data: '' };
}

function outcomeWithout(outcome: Outcome): Outcome {
  switch (outcome.type) {
    case 'returned':
    case 'ended': {
      const value = emptied(outcome.value);
      const facts = outcome.type === 'ended' ? { type: outcome.type, chunks: [] } : { type: outcome.type };
      return value === undefined ? facts : { ...facts, value };
    }
    case 'threw':
    case 'failed': {
      const error = emptied(outcome.error);
      const facts = outcome.type === 'failed' ? { type: outcome.type, chunks: [] } : { type: outcome.type };
      return error === undefined ? facts : { ...facts, error };
    }
    case 'aborted':
      return { type: 'aborted', chunks: [] };
    case 'pending':
      return outcome.chunks === undefined ? outcome : { ...outcome, chunks: [] };
  }
}

function exchangeWithout({ layer, attempt, startedAtUnixNano, request, response }: Exchange): Exchange {
  const facts = { layer, attempt, startedAtUnixNano, request: { method: request.method, url: '', headers: [] } };
  if (response === undefined) return facts;
  const { trailers: _trailers, ...ending } = response;
  return { ...facts, response: { ...ending, url: '', headers: [], chunks: [] } };
}

/**
 * A crossing as it was read, without what was said in it: what it lacks for a replay is judged of it as of the whole, and it takes a few
 * hundred bytes. `attributes`: those that it keeps.
 */
export function withoutContent(draft: CrossingDraft, attributes: CrossingDraft['attributes']): CrossingDraft {
  const { input, outcome, exchanges, draws: _draws, ...facts } = draft;
  const kept = emptied(input);
  return {
    ...facts,
    ...(kept === undefined ? {} : { input: kept }),
    outcome: outcomeWithout(outcome),
    exchanges: exchanges.map(exchangeWithout),
    attributes,
  };
}
