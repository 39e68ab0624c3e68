export { redactChunks, redactExchange } from '../redaction/redact-crossing.ts';
export { type Ended, endOf } from './end-of.ts';
export { formsOf, leaksIn, PLANTED_SECRETS, type PlantedSecret } from './planted-secrets.ts';
export { printedBy } from './printed-by.ts';
export { crossingOf, RecordedCalls } from './recorded-calls.ts';
export { TapePlayer } from './tape-player.ts';
