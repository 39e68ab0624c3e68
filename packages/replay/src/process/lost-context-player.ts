import { type Answer, type Arrival, installDedicatedPlayer, type Player } from '@reenact/instrumentation';
import { type Crossing, crossingLabel, ReenactError } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';

interface Guarded {
  readonly player: Player;
  readonly sink: EventSink;
}

/**
 * Answers calls that lost their context while replays go on in this process. With one replay they belong to it; with
 * several nobody can say to which, so they are refused: never served from the wrong recording, never run for real.
 */
class LostContextPlayer implements Player {
  readonly replayId = 'lost-context';
  readonly dedicated = true;
  readonly callShapeOf = (recorded: Crossing): Crossing['call'] => recorded.call;
  readonly guarded = new Set<Guarded>();
  private uninstall: (() => void) | undefined;

  answer(arrival: Arrival): Answer {
    const [only, ...others] = this.guarded;
    if (only !== undefined && others.length === 0) return only.player.answer(arrival);
    const label = crossingLabel(arrival.boundary);
    const text = `${label} was called outside every context while ${this.guarded.size} replays were going on, and refused.`;
    for (const { sink } of this.guarded) sink.write({ type: 'note', text, unverified: true });
    const error = new ReenactError('replay-refused', text, {
      where: label,
      next: 'Bind the callback to its context with AsyncResource.bind or context.bind, or replay one run at a time.',
    });
    return { type: 'refuse', error };
  }

  add(entry: Guarded): () => void {
    this.guarded.add(entry);
    this.uninstall ??= installDedicatedPlayer(this);
    return () => {
      this.guarded.delete(entry);
      if (this.guarded.size > 0) return;
      this.uninstall?.();
      this.uninstall = undefined;
    };
  }
}

const lostContextPlayer = new LostContextPlayer();

/** Guards this process for one in-process replay; call the result when the replay is over. */
export function guardLostContext(player: Player, sink: EventSink): () => void {
  return lostContextPlayer.add({ player, sink });
}
