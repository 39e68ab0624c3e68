import { callingFiles } from '../source-line.ts';

/** The undici inside Node.js is one file, in the package each class has its own. */
const undiciPattern =
  /^node:internal\/deps\/undici\/undici$|[/\\]undici[^/\\]*[/\\]lib[/\\]web[/\\]websocket[/\\](?:connection|frame)\.js$/;

/** The package `uuid`, and the copies of it in LangChain and LangSmith, which draw sixteen UUIDs' worth at once or one. */
const uuidPattern = /[/\\]uuid[/\\](?:.*[/\\])?rng(?:-browser)?\.[cm]?js$/;

/**
 * Where ids and no keys are made, and of how many bytes: ids of mongodb's sessions and redis' clients, UUIDs, which are recorded when the platform
 * makes them, too, marks between the parts of a form, the key and the masks of a WebSocket, which travel in the open with what they mask.
 */
const DRIVER_IDS: readonly { readonly file: RegExp; readonly byteLength: number }[] = [
  { file: /[/\\]mongodb[^/\\]*[/\\]lib[/\\]utils\.js$/, byteLength: 16 },
  { file: /[/\\]@redis[/\\]client[/\\].*[/\\]identity\.js$/, byteLength: 4 },
  { file: /[/\\]form-data[/\\]lib[/\\]form_data\.js$/, byteLength: 12 },
  { file: /[/\\]ws[/\\]lib[/\\]websocket\.js$/, byteLength: 16 },
  { file: /[/\\]ws[/\\]lib[/\\]sender\.js$/, byteLength: 8192 },
  { file: undiciPattern, byteLength: 16 },
  { file: undiciPattern, byteLength: 8192 },
  { file: undiciPattern, byteLength: 16_386 },
  { file: uuidPattern, byteLength: 16 },
  { file: uuidPattern, byteLength: 256 },
];

/** Where tracers draw the ids of their own spans, errors and requests; nothing else is made of these. Datadog's draws many at once. */
const TRACER_IDS: typeof DRIVER_IDS = [
  { file: /[/\\]dd-trace[/\\]packages[/\\]dd-trace[/\\]src[/\\]id\.js$/, byteLength: 65_536 },
  { file: /[/\\]elastic-apm-node[/\\]lib[/\\]tracecontext[/\\]traceparent\.js$/, byteLength: 8 },
  { file: /[/\\]elastic-apm-node[/\\]lib[/\\]tracecontext[/\\]traceparent\.js$/, byteLength: 24 },
  {
    file: /[/\\]elastic-apm-node[/\\]lib[/\\](?:errors|apm-client[/\\]http-apm-client[/\\]index)\.js$/,
    byteLength: 16,
  },
];

/** Of the frames above the one who draws: what we put in a function's place, and the proxy around it. */
const OWN_FRAMES = 2;

/**
 * Whether random bytes are what a library makes an id of: no key, unlike what others may draw. `met`: the function of ours that is called by
 * what stands in the place of the platform's. Looks at the stack only where the length fits.
 */
export function isDriverId(met: (...parameters: never[]) => unknown, byteLength: number): boolean {
  return isDrawnAt(DRIVER_IDS, met, byteLength);
}

/** Whether they are of those ids what the agent sees: UUIDs. */
export function isUuid(met: (...parameters: never[]) => unknown, byteLength: number): boolean {
  return isDrawnAt(
    DRIVER_IDS.filter(({ file }) => file === uuidPattern),
    met,
    byteLength,
  );
}

/** Whether they are for the spans of a tracer beside us: no part of the run, like those of our own spans. */
export function isTracerId(met: (...parameters: never[]) => unknown, byteLength: number): boolean {
  return isDrawnAt(TRACER_IDS, met, byteLength);
}

function isDrawnAt(places: typeof DRIVER_IDS, met: (...parameters: never[]) => unknown, byteLength: number): boolean {
  const known = places.filter((id) => id.byteLength === byteLength);
  if (known.length === 0) return false;
  const file = callingFiles(met, OWN_FRAMES + 1)[OWN_FRAMES] ?? '';
  return known.some((id) => id.file.test(file));
}
