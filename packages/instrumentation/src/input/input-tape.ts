import { type InputPiece, processState } from '@reenact/trace-model';
import { admit, gate } from '../admission/current-gate.ts';
import { unixNanoNow } from '../host/monotonic-clock.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { INPUT_BYTES_MAX, INPUT_PIECES_MAX } from '../limits.ts';
import { keepTypedSecret } from '../redaction/redactor/process-redaction.ts';
import { heldInput } from '../run/held-input.ts';
import { positionOf } from '../run/position.ts';
import type { RunUnderWay } from '../run/run-under-way.ts';
import { HeldPiece, type InputRead } from './held-piece.ts';
import { inputCall } from './input-call.ts';

/**
 * The standard input of this process: what comes while agents run is recorded in each of them, what comes between in the next (docs/adr/0054). What comes before
 * a run waits here for it.
 */
export class InputTape {
  private places = 0;
  private bytes = 0;
  private held: HeldPiece | undefined;
  private waiting: InputPiece[] = [];
  private isFull = false;
  private hasCut = false;

  /** Whether something was read that no run holds, nor will: all runs behind that lack it. */
  get isCut(): boolean {
    return this.hasCut;
  }

  /** Whether something waits for a run that it is recorded in. */
  get isWaiting(): boolean {
    return this.waiting.length > 0 || this.isFull || this.held !== undefined;
  }

  /** Something was read that is not kept. */
  cut(): void {
    this.hasCut = true;
    this.waiting = [];
    this.held = undefined;
    heldInput.hand = undefined;
  }

  /** The program is given what was read, and has not seen it yet. */
  read(read: InputRead): void {
    if (gate.dedicatedPlayer !== undefined || this.hasCut) return;
    this.bytes += read.bytes?.byteLength ?? 0;
    if (this.bytes > INPUT_BYTES_MAX) {
      this.cut();
      return;
    }
    if (this.held?.takes(read) === true) return;
    this.hand();
    this.held = new HeldPiece(this.places, read, unixNanoNow());
    this.places += 1;
    // Called where a crossing begins or ends, which is the host's own call.
    if (this.held.isOpen) heldInput.hand = () => guarded('recording standard input', () => this.hand(), undefined);
    else this.hand();
  }

  /** A run has begun that nothing encloses: it has what came before it. */
  begins(run: RunUnderWay): void {
    this.hand();
    if (!holdsInput(run)) return;
    const { kind, context } = run;
    this.bytes = 0;
    if (this.isFull && kind === 'run') this.cut();
    const { waiting } = this;
    if (waiting.length === 0) return;
    // Of the run of the process nobody knows whether agents follow, which need it, too.
    if (kind !== 'process-run') this.waiting = [];
    const pieces = waiting.map((piece): InputPiece => ({ ...piece, isBefore: true }));
    record(context, pieces, unixNanoNow());
  }

  private hand(): void {
    const { held } = this;
    heldInput.hand = undefined;
    this.held = undefined;
    if (held === undefined) return;
    const { startUnixNano } = held;
    const piece = held.toPiece();
    if (piece.password !== undefined) keepTypedSecret(piece.password);
    const runs = gate.runsUnderWay().filter(holdsInput);
    // Of one and the same piece all runs say the same time: in a replay of them it comes once.
    for (const { context } of runs) record(context, [piece], startUnixNano);
    if (!runs.some(({ kind }) => kind === 'run')) this.wait({ ...piece, ...momentOf(startUnixNano) });
  }

  private wait(piece: InputPiece): void {
    this.waiting.push(piece);
    if (this.waiting.length <= INPUT_PIECES_MAX) return;
    // What has no agents, as a chat in the run of its process, needs none of it.
    this.isFull = true;
    this.waiting = [];
  }
}

/** When something came, for a replay to leave the program as much time before it as it may need. */
function momentOf(unixNano: bigint): Pick<InputPiece, 'timeMs' | 'uptimeMs'> {
  const timeMs = Number(unixNano / 1_000_000n);
  return { timeMs, uptimeMs: Math.max(Math.round(timeMs - pristine.timeOriginMs), 0) };
}

/** A request is sent again whatever the program reads beside it, and what is part of another run is given its input by that. */
function holdsInput({ kind, context, isEnclosed }: RunUnderWay): boolean {
  return kind !== 'request' && isEnclosed !== true && positionOf(context) === undefined;
}

function record(context: RunUnderWay['context'], pieces: readonly InputPiece[], startUnixNano: bigint): void {
  guarded(
    'recording standard input',
    () => {
      const admission = runInContext(context, () => admit(inputCall(pieces, startUnixNano)));
      if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: undefined });
    },
    undefined,
  );
}

/** That of this process. */
export const inputTape = processState('input-tape.1', () => new InputTape());
