import { processState } from '@reenact/trace-model';
import type { ProcessTape } from './process-tape.ts';

/** Whether and where this process keeps draws; shared between all copies of this package that are loaded. */
export interface DrawRecording {
  /** How many installations there are; nothing is kept without one. */
  installations: number;
  /** Random bytes may be keys: they are kept only where somebody asked for it. */
  keepsBytes: boolean;
  /** Draws of code that nothing encloses, for the run that the register hook may open around the process. */
  processTape: ProcessTape | undefined;
  /** Whether the ids and times of an app's own spans are left out. */
  leavesOutSpans: boolean;
  /** Whether there were such spans: the roots of runs then say that theirs are left out. */
  hasLeftOutSpans: boolean;
  /** Answers of `fetch` that are being read: it reads the clock itself when one ends. */
  fetchesUnderWay: number;
  /** When the last of them ended, by the process's own clock, milliseconds; minus infinity where that is long over. */
  fetchEndedMs: number;
  /** How often the event loop had turned then. */
  fetchEndedTurn: number;
}

/** The state of this process. */
export const drawRecording: DrawRecording = processState('draw-recording.3', () => ({
  installations: 0,
  keepsBytes: false,
  processTape: undefined,
  leavesOutSpans: false,
  hasLeftOutSpans: false,
  fetchesUnderWay: 0,
  fetchEndedMs: Number.NEGATIVE_INFINITY,
  fetchEndedTurn: 0,
}));
