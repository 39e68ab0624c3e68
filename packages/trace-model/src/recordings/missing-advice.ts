import { MISSING_CAUSES, type MissingCause } from './missing-causes.ts';
import { unseenAdvice } from './unseen-advice.ts';

/** What records a part of a value after all, by the lossy mark that tells of it. */
const LOSSY_ADVICE: readonly (readonly [mark: RegExp, advice: string])[] = [
  [
    /^\/input\/\d+ function$/,
    'A function that a tool was given, and answers by as it gives nothing itself, is not called in a replay: have the tool give a promise, as util.promisify does.',
  ],
  [
    /^\/input\/\d+ changed by the call$/,
    'What a call puts into its arguments is not put there in a replay: have it give that back.',
  ],
  [
    /^\/error(?:\/\S*)? error-class /,
    'An error comes back as one of its class where the boundary names it: tool(name, code, { errors: [BrokerError] }).',
  ],
  [
    /^\/output(?:\/\S*)? class /,
    'An instance comes back as one of its class where the boundary names it: tool(name, code, { values: [Order] }).',
  ],
  [
    /^\/contexts\//,
    "OpenTelemetry's contexts did not reach the code of the run, so that its calls stand beside it: `reenact doctor` says why, and what to do (`no-contexts`).",
  ],
];

/** What a cause means, and what would have recorded it: with what is to be said of these details of it only. */
export function missingAdvice(cause: MissingCause, details: readonly string[]): string {
  if (cause === 'unseen-connection') return unseenAdvice(details) ?? MISSING_CAUSES[cause];
  if (cause !== 'lossy') return MISSING_CAUSES[cause];
  const advice = LOSSY_ADVICE.filter(([mark]) => details.some((detail) => mark.test(detail))).map(([, text]) => text);
  return [MISSING_CAUSES.lossy, ...advice].join(' ');
}
