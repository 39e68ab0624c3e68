import { pristine } from '@reenact/instrumentation';
import {
  type Crossing,
  isInboundRequest,
  isInboundRpc,
  type Recording,
  ReenactError,
  type ReplayReport,
} from '@reenact/trace-model';
import { type GuardOptions, NOTHING_ALLOWED } from '../guard/guard-options.ts';
import { POSITION_LIFE_MS } from '../limits.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { refuseTelemetryHosts } from '../plan/planned-telemetry.ts';
import { createReplayId } from '../process/replay-id.ts';
import { tailMs } from '../process/send-recorded-request.ts';
import { baggageWithPosition, isJoinProof, type MortalPosition, signPosition } from '../propagation/position-token.ts';
import { checkReplayable } from '../report/check-replayable.ts';
import { buildReport } from '../report/report-builder.ts';
import { entryPatienceMs } from './entry-patience.ts';
import { RelayedReplay } from './relayed-replay.ts';
import { runningHttpService } from './running-http-service.ts';
import { runningRpcService } from './running-rpc-service.ts';
import type { RunningService } from './running-service.ts';
import type { ReplayServiceSettings } from './shared-settings.ts';

/** What it takes to replay a run in services that are running already. */
export interface ReplayServicesOptions {
  readonly recording: Recording;
  /** A run that an inbound HTTP request or gRPC call entered. */
  readonly rootSpanId: string;
  readonly plan: Plan;
  readonly guard?: GuardOptions | undefined;
  /** Where the service is that was asked: `http://127.0.0.1:8080`, `grpc://127.0.0.1:50051`. */
  readonly url: string;
  readonly settings: ReplayServiceSettings;
  /** Headers, or metadata, to send in place of the recorded ones of the same names. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
}

const schemes = { http: ['http:', 'https:'], rpc: ['grpc:', 'grpcs:'] } as const;

function addressOf(text: string, entered: 'http' | 'rpc', rootSpanId: string): URL {
  const url = URL.parse(text);
  const isKnown =
    url !== null &&
    Object.values(schemes)
      .flat()
      .some((scheme) => scheme === url.protocol);
  const isOrigin = isKnown && ['', '/'].includes(url.pathname) && url.search === '' && url.hostname !== '';
  if (!isOrigin || (entered === 'rpc' && url.port === '')) {
    throw new ReenactError('bad-argument', `"${text}" is not the address of a service.`, {
      where: '--url',
      next:
        entered === 'http'
          ? 'Write it as http://127.0.0.1:8080: the recorded request has its own path.'
          : 'Write it as grpc://127.0.0.1:50051, or grpcs:// where it is encrypted: the recorded call has its own method.',
    });
  }
  if (schemes[entered].some((scheme) => scheme === url.protocol)) return url;
  const [what, scheme] = entered === 'http' ? ['an HTTP request', 'http'] : ['a gRPC call', 'grpc'];
  throw new ReenactError('bad-argument', `The run was entered by ${what}, and "${text}" takes none.`, {
    where: '--url',
    next: `Name where the service takes it: \`reenact replay ${rootSpanId} --url ${scheme}://${url.host}\``,
  });
}

function enteredRoot(
  recording: Recording,
  rootSpanId: string,
): { readonly root: Crossing; readonly by: 'http' | 'rpc' } {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined && isInboundRequest(root)) return { root, by: 'http' };
  if (root !== undefined && isInboundRpc(root)) return { root, by: 'rpc' };
  throw new ReenactError(
    'unsupported',
    'A running service is entered by the request or the gRPC call that was recorded, and this was neither.',
    {
      where: rootSpanId,
      next: 'Name a run that one entered: `reenact runs` shows them as agent:<method> <path> and agent:<package>.<service>/<method>.',
    },
  );
}

function unreached({ address }: RunningService, failure: string): ReenactError {
  const isUntrusted = /certificate|self.signed|altnames/i.test(failure);
  return new ReenactError('launch-failed', `The service could not be asked, so nothing was sent: ${failure}.`, {
    where: address,
    next: isUntrusted
      ? 'Name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS, or the service by a name that its certificate has.'
      : 'Start the service, or name the address it listens at; https:// or grpcs:// where it speaks TLS.',
  });
}

async function refuseUnjoined(service: RunningService, token: string, positionKey: string): Promise<void> {
  let failure: string | undefined;
  const proof = await service.ask(token, (why) => {
    failure = why;
  });
  if (proof !== undefined && isJoinProof(positionKey, token, proof)) return;
  if (failure !== undefined) throw unreached(service, failure);
  throw new ReenactError(
    'launch-failed',
    `What answers at ${service.address} takes no part in replays with this key, so what was recorded was not sent.`,
    {
      where: service.address,
      next: 'Start the service with --import reenact/register, REENACT_REPLAY_ALLOW=shared, and the same REENACT_REPLAY_SERVICE and REENACT_REPLAY_KEY_FILE.\nIt was asked without a body, over HTTP by OPTIONS, and may have taken that for ordinary traffic.',
    },
  );
}

/** Asks the service, and sends what was recorded with a position above the root. Gives notes for the report. */
async function enter(
  service: RunningService,
  recording: Recording,
  root: Crossing,
  { replayId, positionKey }: { readonly replayId: string; readonly positionKey: string },
): Promise<string[]> {
  const fresh = (): MortalPosition => ({
    replayId,
    cursor: undefined,
    expiresUnixMs: pristine.dateNow() + POSITION_LIFE_MS,
  });
  await refuseUnjoined(service, signPosition(positionKey, fresh()), positionKey);
  const notes = await service.enter(
    (given) => baggageWithPosition(given, positionKey, fresh()),
    AbortSignal.timeout(entryPatienceMs({ recording, root })),
  );
  await new Promise((resolve) => setTimeout(resolve, tailMs({ recording, root })));
  return notes;
}

/**
 * Replays a run in services that are running already, started with replay allowed: sends the recorded request or makes the recorded
 * call with a position, and gathers the reports of all services that took part into one. Rejects with ReenactError before anything is sent: `bad-argument`,
 * `unsupported`, `cold-case`, `launch-failed`, and those of the replay service.
 */
export async function replayServices(options: ReplayServicesOptions): Promise<ReplayReport> {
  const { recording, rootSpanId, plan, guard = NOTHING_ALLOWED, settings } = options;
  refuseTelemetryHosts(plan, '--url');
  const { root, by } = enteredRoot(recording, rootSpanId);
  const url = addressOf(options.url, by, rootSpanId);
  checkReplayable(recording, rootSpanId, plan);
  const headers = options.requestHeaders ?? {};
  const service = by === 'http' ? runningHttpService(root, url, headers) : runningRpcService(root, url, headers);
  const replayId = createReplayId();
  const startedAt = performance.now();
  const replay = await RelayedReplay.register({ recording, rootSpanId, plan, guard, replayId, settings });
  try {
    const entryNotes = await enter(service, recording, root, { replayId, positionKey: replay.positionKey });
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
