import type { Answer, Arrival, Player, Position } from '@reenact/instrumentation';
import { subtreeOf } from '@reenact/recordings';
import { type Crossing, crossingLabel, PROCESS_RUN_LABEL, type Recording, ReenactError } from '@reenact/trace-model';
import { type InputComparer, LiveInput } from '../equality/input-comparison.ts';
import type { EventSink } from '../events/event-sink.ts';
import { neverAnswered } from '../player/never-answered.ts';
import type { OpenRuns } from '../player/open-runs.ts';
import type { RecordedPlayer } from '../player/recorded-player.ts';

/** One run of the process of a replay. */
export interface RunOfProcess {
  readonly recording: Recording;
  readonly root: Crossing;
  /** Compares what the live run is called with by the plan that it is answered by. */
  readonly comparer: InputComparer;
  /** Makes the player that answers it; called once, when the run begins. */
  readonly open: () => RecordedPlayer;
}

/** What goes on in a process that goes through several runs. */
export interface RunsPlayerOptions {
  /** Answers the run that is replayed, and everything that stands in no run. */
  readonly player: RecordedPlayer;
  /** All runs in their recorded start order; one of them may be the one that is replayed. */
  readonly runs: readonly RunOfProcess[];
  readonly recording: Recording;
  /** The root of the run that is replayed. */
  readonly root: Crossing;
  /** Told of the others; the player of the replayed one asks it. */
  readonly openRuns: OpenRuns;
  readonly sink: EventSink;
  /** Called when the replayed run has ended; the process may still have something to do. */
  readonly ended: () => void;
  /** Told of each run that begins. */
  readonly began?: ((run: RunOfProcess) => void) | undefined;
  /** Whether a run that has ended stays in step with the others, until somebody else has it leave. Default: it leaves. */
  readonly staysInStep?: boolean | undefined;
  /** Called when the process begins a run that is not needed any more: the one that is replayed has ended. */
  readonly over: () => void;
}

/** The answer to the root of a run, with who is to know when the run has ended. */
function endingWith(answer: Answer, ended: () => void): Answer {
  switch (answer.type) {
    case 'run': {
      const settled: typeof answer.settled = (...end) => {
        answer.settled(...end);
        ended();
      };
      return { ...answer, settled };
    }
    case 'stub': {
      const { release } = answer;
      const settle: typeof release.settle = () =>
        release.settle().then((microtasks) => {
          ended();
          return microtasks;
        });
      return { ...answer, release: { at: (...when) => release.at(...when), settle } };
    }
    case 'pass':
    case 'refuse':
      return answer;
  }
}

/**
 * Answers a process that goes through several runs, each from its own recording (docs/adr/0034). Which run begins is told by its boundary
 * and its input, and only then by its turn; what differs is reported as a difference of that run. Everything inside a run carries
 * the position of its own player and never comes here.
 */
export class RunsPlayer implements Player {
  readonly replayId: string;
  readonly dedicated = true;
  readonly callShapeOf: Player['callShapeOf'];
  private readonly options: RunsPlayerOptions;
  private readonly opened = new Map<RunOfProcess, RecordedPlayer>();
  private readonly labels: ReadonlySet<string>;
  private isOver = false;

  constructor(options: RunsPlayerOptions) {
    this.options = options;
    this.replayId = options.player.replayId;
    this.callShapeOf = options.player.callShapeOf;
    this.labels = new Set(options.runs.map(({ root }) => crossingLabel(root)));
  }

  answer(arrival: Arrival): Answer {
    if (arrival.position?.cursor !== undefined) return this.options.player.answer(arrival);
    const run = this.beginning(arrival);
    if (run !== undefined) return this.begin(run, arrival);
    if (this.isNotNeeded(arrival)) return this.end(arrival);
    const label = crossingLabel(arrival.boundary);
    // The run of the process is where calls outside of all runs were recorded, also where the first of them came beside a run.
    const isOutside = label === PROCESS_RUN_LABEL || this.labels.has(label);
    const isLost = this.options.openRuns.count > 0 && !isOutside;
    return isLost ? this.refuseLost(arrival) : this.options.player.answer(arrival);
  }

  positionToken(position: Position): string | undefined {
    return this.options.player.positionToken(position);
  }

  processToken(position: Position): string | undefined {
    return this.options.player.processToken(position);
  }

  /** A position inside a run names the player of that run. */
  positionOfToken(token: string): Position | undefined {
    const position = this.options.player.positionOfToken(token);
    const cursor = position?.cursor;
    if (cursor === undefined) return position;
    for (const [{ recording }, player] of this.opened) if (recording.bySpanId.has(cursor)) return { player, cursor };
    return position;
  }

  flagEvaluated(position: Position | undefined, attributes: Readonly<Record<string, unknown>>): void {
    this.options.player.flagEvaluated(position, attributes);
  }

  joinProof(token: string): string | undefined {
    return this.options.player.joinProof(token);
  }

  isJoinProof(token: string, proof: string): boolean {
    return this.options.player.isJoinProof(token, proof);
  }

  /** The run that begins with this call: one of that boundary with equal input, else the first that has not begun. */
  private beginning({ boundary, input }: Arrival): RunOfProcess | undefined {
    const label = crossingLabel(boundary);
    if (!this.labels.has(label)) return undefined;
    const live = new LiveInput(input, boundary.policy);
    let first: RunOfProcess | undefined;
    for (const run of this.options.runs) {
      if (this.opened.has(run) || crossingLabel(run.root) !== label) continue;
      if (run.comparer.compare(run.root, live).type === 'equal') return run;
      first ??= run;
    }
    return first;
  }

  private begin(run: RunOfProcess, arrival: Arrival): Answer {
    const player = run.open();
    this.opened.set(run, player);
    this.options.began?.(run);
    const answer = player.answer({ ...arrival, position: undefined });
    if (run.root !== this.options.root) {
      const ended = this.options.openRuns.began(run);
      const left = (): void => {
        ended();
        if (this.options.staysInStep !== true) player.schedule.step?.leave();
      };
      if (answer.type === 'refuse') left();
      return endingWith(answer, left);
    }
    return endingWith(answer, () => {
      this.isOver = true;
      this.options.ended();
    });
  }

  /** It may be of any run that goes on: it is served from none, and never runs for real. */
  private refuseLost({ boundary }: Arrival): Answer {
    const label = crossingLabel(boundary);
    const text = `${label} was called outside every context while other runs of the process were going on, and refused.`;
    const next = 'Bind the callback to its context with AsyncResource.bind or context.bind.';
    this.options.sink.write({ type: 'note', text: `${text} ${next}`, unverified: true });
    const error = new ReenactError('replay-refused', text, { where: label, next });
    return { type: 'refuse', error };
  }

  /** Whether a run begins that is not answered from anywhere, once the replayed one has ended. */
  private isNotNeeded({ boundary }: Arrival): boolean {
    const { recording, root } = this.options;
    if (!this.isOver || (boundary.kind !== 'agent' && boundary.kind !== root.kind)) return false;
    const isInside = (crossing: Crossing): boolean =>
      crossing !== root && crossingLabel(crossing) === crossingLabel(boundary);
    // One that has lost its context may still be of the replayed run.
    return !subtreeOf(recording, root.spanId).some(isInside);
  }

  private end({ boundary }: Arrival): Answer {
    const { root, player, sink, over } = this.options;
    const text = `After ${root.path} had ended the program went on to another run, ${crossingLabel(boundary)}: it was stopped there.`;
    sink.write({ type: 'note', text, unverified: false });
    over();
    return neverAnswered(root, { player, cursor: undefined });
  }
}
