import { type Crossing, crossingLabel, isSentAgain, PROCESS_RUN_LABEL } from '@reenact/trace-model';

/** What to do where the program of a replay reads its standard input. */
export function inputAdvice({ spanId }: Crossing): string {
  return `The program reads its standard input, which no recording holds. Give the replay what the program was given, such as \`reenact replay ${spanId} -- <command> < <file>\`, or type it again.`;
}

/**
 * How to get to a run that a program did not get to by itself; undefined where the replay sends what entered it. `readsInput`: the program
 * listened to its standard input.
 */
export function enterBy(root: Crossing, readsInput: boolean): string | undefined {
  if (isSentAgain(root)) return undefined;
  const check = 'Check that the command starts the recorded agent, and that its libraries are instrumented.';
  if (readsInput) return `${check} ${inputAdvice(root)}`;
  if (crossingLabel(root) === PROCESS_RUN_LABEL)
    return `${check} Where a message that came over a connection set it going, as of a queue or a bot, it does not come again: put agent() around the function that handles a message and record again; a replay enters that by --entry.`;
  return `${check} Where a message began the run, as of a queue, a bot or a WebSocket, it does not come again: enter the run by its function, with what it was called with: \`reenact replay ${root.spanId} --entry <file>#<function>\``;
}
