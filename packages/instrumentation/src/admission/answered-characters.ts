import type { Exchange } from '@reenact/trace-model';
import type { LiveOutcomeChunks } from '../gate/gate.ts';

function charactersOfAnswer({ response }: Exchange): number {
  let characters = 0;
  for (const [, data] of response?.chunks ?? [])
    characters += typeof data === 'string' ? data.length : data.base64.length;
  return characters;
}

/**
 * How many characters the host has been given of answers over the wire, and of the values of a stream; undefined where no attempt was made and no
 * value has come.
 */
export function answeredCharacters(exchanges: readonly Exchange[], values: LiveOutcomeChunks): number | undefined {
  if (exchanges.length === 0 && values.length === 0) return undefined;
  const ofValues = values.reduce((sum, { value }) => sum + (value.payload.data?.length ?? 0), 0);
  return exchanges.reduce((sum, exchange) => sum + charactersOfAnswer(exchange), ofValues);
}
