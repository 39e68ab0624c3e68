import { headersOf } from '../headers-of.ts';

/**
 * How New Relic's agent names itself in its own requests. What it marks them with for whoever watches requests it takes away itself before
 * we are asked, where it wraps `https` later than we do.
 */
const AGENT = /^NewRelic-NodeAgent\//;

/** Whether a request with these headers is telemetry of an agent of another vendor, which keeps it out of traces. */
export function isOtherTelemetry(headers: unknown): boolean {
  if (headers === undefined || headers === null) return false;
  return headersOf(headers)?.some(([name, value]) => name.toLowerCase() === 'user-agent' && AGENT.test(value)) === true;
}
