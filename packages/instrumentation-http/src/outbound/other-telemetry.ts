import { headersOf } from '../headers-of.ts';

/** An agent of another vendor, which keeps its own requests out of traces. */
interface VendorAgent {
  /** How it names itself in them. */
  readonly userAgent: RegExp;
  /** By which method it tells something. What it asks by others is recorded, and answered in a replay. Default: by any. */
  readonly method?: string;
  /** It goes by what it is answered, which cannot be made up. */
  readonly readsAnswers: boolean;
}

const AGENTS: readonly VendorAgent[] = [
  // What it marks its requests with for whoever watches them it takes away itself before we are asked, where it wraps `https` later than we do.
  { userAgent: /^NewRelic-NodeAgent\//, readsAnswers: true },
  // Elastic's.
  { userAgent: /^apm-agent-nodejs\//, method: 'POST', readsAnswers: false },
];

/** Whose telemetry a request of this method with these headers is; undefined where it is none that is known. */
export function otherTelemetry(sentBy: unknown, headers: unknown): VendorAgent | undefined {
  if (headers === undefined || headers === null) return undefined;
  const named = headersOf(headers)?.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? '';
  return AGENTS.find(({ userAgent, method = sentBy }) => userAgent.test(named) && method === sentBy);
}
