import type { DrawTape } from './draw-tape.ts';

const RECORDING = Symbol.for('reenact.draw-recording.1');

/** Whether and where this process keeps draws; shared between all copies of this package that are loaded. */
export interface DrawRecording {
  /** How many installations there are; nothing is kept without one. */
  installations: number;
  /** Random bytes may be keys: they are kept only where somebody asked for it. */
  keepsBytes: boolean;
  /** Draws of code that nothing encloses, for the run that the register hook may open around the process. */
  processTape: DrawTape | undefined;
  /** Answers of `fetch` that are being read: it reads the clock itself when one ends. */
  fetchesUnderWay: number;
  /** When the last of them ended, by the process's own clock, milliseconds. */
  fetchEndedMs: number;
}

function findOrMakeRecording(): DrawRecording {
  const holder = globalThis as { [RECORDING]?: DrawRecording };
  const found = holder[RECORDING];
  if (found !== undefined) return found;
  const made: DrawRecording = {
    installations: 0,
    keepsBytes: false,
    processTape: undefined,
    fetchesUnderWay: 0,
    fetchEndedMs: Number.NEGATIVE_INFINITY,
  };
  Object.defineProperty(holder, RECORDING, { value: made });
  return made;
}

/** The state of this process. */
export const drawRecording: DrawRecording = findOrMakeRecording();
