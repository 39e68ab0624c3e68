import { askToJoin, pristine } from '@reenact/instrumentation';
import { type Crossing, type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import { type GuardOptions, NOTHING_ALLOWED } from '../guard/guard-options.ts';
import { POSITION_LIFE_MS, SERVICE_ANSWER_MS_MAX } from '../limits.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { baggageWithPosition, isJoinProof, signPosition } from '../process/position-token.ts';
import { isInboundRequest, recordedRequestOf } from '../process/recorded-request.ts';
import { isInboundRpc } from '../process/recorded-rpc.ts';
import { createReplayId } from '../process/replay-id.ts';
import { gaveUp, patienceMs, sendRecordedRequest, tailMs, withheldNotes } from '../process/send-recorded-request.ts';
import { checkReplayable } from '../report/check-replayable.ts';
import { buildReport } from '../report/report-builder.ts';
import { RelayedReplay } from './relayed-replay.ts';
import type { ReplayServiceSettings } from './shared-settings.ts';

/** What it takes to replay a run in services that are running already. */
export interface ReplayServicesOptions {
  readonly recording: Recording;
  /** A run that an inbound HTTP request entered. */
  readonly rootSpanId: string;
  readonly plan: Plan;
  readonly guard?: GuardOptions | undefined;
  /** Origin of the service that was asked: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly settings: ReplayServiceSettings;
  /** Headers to send in place of the recorded ones of the same names. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
}

function originOf(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url;
  throw new ReenactError('bad-argument', `"${text}" is not the origin of a service.`, {
    where: '--url',
    next: 'Write it as http://127.0.0.1:8080: the recorded request has its own path.',
  });
}

function enteredRoot(recording: Recording, rootSpanId: string): Crossing {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined && isInboundRequest(root)) return root;
  if (root !== undefined && isInboundRpc(root)) {
    // It would run for real in a server that knows nothing of replays, and gRPC has no question like OPTIONS that never does.
    throw new ReenactError('unsupported', 'A running gRPC service cannot be asked whether it takes part in replays.', {
      where: rootSpanId,
      next: `Let the replay start the service: reenact replay ${rootSpanId} -- <the command that starts it>`,
    });
  }
  throw new ReenactError(
    'unsupported',
    'A running service is entered by the request that was recorded, and this was none.',
    {
      where: rootSpanId,
      next: 'Name a run that an HTTP request entered: `reenact runs` shows them as agent:<method> <path>.',
    },
  );
}

async function refuseUnjoined(url: URL, target: string, token: string, positionKey: string): Promise<void> {
  const proof = await askToJoin(new URL(target, url), token);
  if (proof !== undefined && isJoinProof(positionKey, token, proof)) return;
  throw new ReenactError(
    'launch-failed',
    `What answers at ${url.origin} takes no part in replays with this key, so nothing was sent.`,
    {
      where: url.origin,
      next: 'Start the service with --import reenact/register, REENACT_REPLAY_ALLOW=shared, and the same REENACT_REPLAY_SERVICE and REENACT_REPLAY_KEY_FILE.',
    },
  );
}

async function enter(
  options: ReplayServicesOptions,
  root: Crossing,
  url: URL,
  replayId: string,
  positionKey: string,
): Promise<string[]> {
  const { recording, requestHeaders = {} } = options;
  const request = recordedRequestOf(root);
  const position = { replayId, cursor: undefined, expiresUnixMs: pristine.dateNow() + POSITION_LIFE_MS };
  await refuseUnjoined(url, request.target, signPosition(positionKey, position), positionKey);
  const recordedBaggage = request.headers.find(([name]) => name.toLowerCase() === 'baggage')?.[1];
  const baggage = baggageWithPosition(requestHeaders.baggage ?? recordedBaggage, positionKey, position);
  const hasGivenUp = gaveUp(root);
  const failure = await sendRecordedRequest({
    place: {
      protocol: url.protocol === 'https:' ? 'https' : 'http',
      address: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
      verifiesCertificate: true,
    },
    request,
    headers: { ...requestHeaders, baggage },
    signal: AbortSignal.timeout(hasGivenUp ? patienceMs(root) : SERVICE_ANSWER_MS_MAX),
  });
  await new Promise((resolve) => setTimeout(resolve, tailMs({ recording, root })));
  const notes = withheldNotes(request, requestHeaders);
  return failure === undefined ? notes : [...notes, `The recorded request was not answered: ${failure}.`];
}

/**
 * Replays a run in services that are running already, started with replay allowed: sends the recorded request with a position, and
 * gathers the reports of all services that took part into one. Rejects with ReenactError before anything is sent: `bad-argument`,
 * `unsupported`, `cold-case`, `launch-failed`, and those of the replay service.
 */
export async function replayServices(options: ReplayServicesOptions): Promise<ReplayReport> {
  const { recording, rootSpanId, plan, guard = NOTHING_ALLOWED, settings } = options;
  const url = originOf(options.url);
  checkReplayable(recording, rootSpanId, plan);
  const root = enteredRoot(recording, rootSpanId);
  const replayId = createReplayId();
  const startedAt = performance.now();
  const replay = await RelayedReplay.register({ recording, rootSpanId, plan, guard, replayId, settings });
  try {
    const entryNotes = await enter(options, root, url, replayId, replay.positionKey);
    const { events, notes } = await replay.gather();
    return buildReport({
      recording,
      rootSpanId,
      plan,
      replayId,
      process: 'shared',
      events,
      notes: [...notes, ...entryNotes],
      durationMs: performance.now() - startedAt,
    });
  } finally {
    await replay.end();
  }
}
