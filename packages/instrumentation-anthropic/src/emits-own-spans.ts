import { membersOf } from '@reenact/instrumentation';

/**
 * Whether the Anthropic SDK emits GenAI spans of its own: `client` where one is given, else clients that are made now
 * without an `openTelemetry` option. Beside ours each call is then two spans. Recordings are not harmed, for a span around
 * a crossing is transparent; what counts spans, tokens or cost sees each call twice. Turned off by the environment variable
 * `ANTHROPIC_OPEN_TELEMETRY=false` or by `new Anthropic({ openTelemetry: false })`. Never throws.
 */
export function emitsOwnSpans(client?: object): boolean {
  if (client === undefined) return process.env.ANTHROPIC_OPEN_TELEMETRY?.trim().toLowerCase() !== 'false';
  try {
    return membersOf(membersOf(membersOf(client).openTelemetry).traces).enabled === true;
  } catch {
    return false;
  }
}
