import type { Recording, ReenactError, ReplayReport } from '@reenact/trace-model';
import { createReplayId } from '../process/replay-id.ts';
import { buildReport } from '../report/report-builder.ts';
import { anthropicProtocol } from './anthropic/anthropic-protocol.ts';
import { checkServable } from './check-servable.ts';
import { openAiProtocol } from './openai/openai-protocol.ts';
import { startServer } from './provider-server.ts';
import { RecordedAnswers } from './recorded-answers.ts';
import { ServeSink } from './serve-sink.ts';
import { type ServedView, servedView } from './served-view.ts';

/** What is served, and where. */
export interface ServeOptions {
  readonly recording: Recording;
  /** Only what was recorded at or below this span. Default: the whole trace. */
  readonly spanId?: string | undefined;
  /** Port on loopback. Default 0: a free one. */
  readonly port?: number | undefined;
}

/** A provider on loopback that answers from a recording. */
export interface RecordedProvider {
  /** Address without a path, `http://127.0.0.1:4711`. */
  readonly url: string;
  /** Variables that point an unmodified agent at it, base URL and a key that opens nothing. */
  readonly environment: Readonly<Record<string, string>>;
  /** How many recorded model calls it can answer. */
  readonly modelCalls: number;
  /** What a user must know before the agent starts, one sentence each. */
  readonly warnings: readonly string[];
  /** What has been found so far. `agentExit`: how the agent's process ended, where that is known. */
  report(agentExit?: string): ReplayReport;
  /** Stops answering; connections that are still open are cut. */
  stop(): Promise<void>;
}

/** Every protocol that is served; a further one is a folder beside `openai/` and a name here. */
const protocols = [openAiProtocol, anthropicProtocol] as const;

const sideEffects =
  'Only model calls are answered and compared. Tools and everything else the agent does run for real, so side effects are possible unless the agent stubs them; how the run ends is not compared.';

function counted(outside: ServedView['outside']): string {
  return [...outside].map(([label, count]) => (count === 1 ? label : `${label} ×${count}`)).join(', ');
}

function openingNotes({ served, outside }: ServedView): string[] {
  const notes = [sideEffects];
  if (outside.size > 0) {
    notes.push(`Recorded, but outside of what a provider sees, and not compared: ${counted(outside)}.`);
  }
  const rebuilt = served.filter(({ reconstructed }) => reconstructed === true).length;
  if (rebuilt > 0) {
    notes.push(
      `${rebuilt} of ${served.length} answers were put together from GenAI attributes: ids that were not recorded, log-probs and chunk boundaries are not the original ones.`,
    );
  }
  return notes;
}

/**
 * Serves the model calls of a recording over HTTP, so that an agent in any language replays by changing its base URL.
 * Looking up, consumption, divergences and report are those of a replay in process. Throws ReenactError `cold-case`,
 * `recording-damaged`, `not-found`, `port-taken`.
 */
export async function serveRecording({ recording, spanId, port = 0 }: ServeOptions): Promise<RecordedProvider> {
  const view = servedView(recording, spanId, protocols);
  checkServable(recording, view);
  const replayId = createReplayId();
  const sink = new ServeSink();
  const answers = new RecordedAnswers({ view, protocols, sink, replayId });
  const failed = ({ message }: ReenactError): void =>
    sink.write({ type: 'note', text: `A request could not be answered: ${message}`, unverified: true });
  const server = await startServer(port, (request, response) => answers.answer(request, response), failed);
  const startedAt = performance.now();
  sink.write({ type: 'joined', process: 'dedicated' });
  return {
    url: server.url,
    environment: Object.assign({}, ...protocols.map(({ environment }) => environment(server.url))),
    modelCalls: view.served.length,
    warnings: [sideEffects],
    report: (agentExit) =>
      buildReport({
        recording: view.recording,
        rootSpanId: view.root.spanId,
        replayId,
        process: 'dedicated',
        scope: 'model-calls',
        events: sink.events,
        notes: [...openingNotes(view), ...answers.closingNotes()],
        durationMs: performance.now() - startedAt,
        agentExit,
      }),
    stop: () => server.stop(),
  };
}
