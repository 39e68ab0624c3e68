import { type Crossing, changesTheWorld, type Effect, type Recording, ReenactError } from '@reenact/trace-model';

/** A fork: the crossing it begins at, and what runs for real from there on. */
export interface ForkPoint {
  readonly at: Crossing;
  /** Whether a recorded crossing is at or after the fork and may run for real; what changes the world never does by this. */
  includes(crossing: Crossing, effect: Effect): boolean;
}

/**
 * Finds where a fork begins. Throws ReenactError `bad-plan` where the selector names several crossings, or the run itself.
 */
export function forkedFrom(
  text: string | undefined,
  find: (selector: string) => { readonly matched: readonly Crossing[] },
  recording: Recording,
  rootSpanId: string | undefined,
): ForkPoint | undefined {
  if (text === undefined) return undefined;
  const [at, ...others] = find(text).matched;
  if (at === undefined) return undefined;
  if (others.length > 0) {
    throw new ReenactError(
      'bad-plan',
      `--fork "${text}" names ${others.length + 1} crossings, and a fork begins at one.`,
      {
        where: text,
        next: `Name one: ${at.path} has the span id ${at.spanId}.`,
      },
    );
  }
  if (at.spanId === rootSpanId || recording.roots.includes(at)) {
    throw new ReenactError('bad-plan', `--fork "${text}" names the run itself: that is a new run, and no fork.`, {
      where: text,
      next: 'Name a crossing inside it, or run the agent without a replay.',
    });
  }
  const includes = (crossing: Crossing, effect: Effect): boolean =>
    crossing.startTimeUnixNano >= at.startTimeUnixNano && !changesTheWorld(effect);
  return { at, includes };
}
