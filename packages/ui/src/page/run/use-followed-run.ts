import type { RunTree } from '@reenact/trace-model/collector-api';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { followInTurns } from '../reading/follow-in-turns.ts';
import { useShown } from '../reading/use-shown.ts';

/** What is known of a run beside what was read of it. */
export interface FollowedRun {
  readonly isDeleted: boolean;
  /** Whether what comes of it is told: `off` where it is told no more, as after a token was taken back. */
  readonly state: 'on' | 'lost' | 'off';
}

/**
 * Follows the run of a tree, and has it read again when it has changed: once at a time, for a large one takes longer than it takes to change. A hidden tab
 * gives its connection back and makes up for that time when it is shown.
 */
export function useFollowedRun(tree: RunTree | undefined, again: () => void): FollowedRun {
  const collector = useContext(CollectorContext);
  const isShown = useShown();
  const [deleted, setDeleted] = useState<string>();
  const [state, setState] = useState<FollowedRun['state']>('on');
  const place = useRef<{ traceId: string; id: string }>(undefined);
  const reading = useRef({ isAsked: false, isDue: false });
  const traceId = tree?.run.traceId;
  const followFrom = tree?.followFrom;
  useEffect(() => {
    reading.current.isAsked = reading.current.isDue;
    reading.current.isDue = false;
    if (reading.current.isAsked) again();
  }, [tree]);
  const hasPlace = followFrom !== undefined;
  useEffect(() => {
    if (traceId === undefined || followFrom === undefined || !isShown) return;
    if (place.current?.traceId !== traceId) place.current = { traceId, id: followFrom };
    const ending = new AbortController();
    const { signal } = ending;
    const change = (): void => {
      if (reading.current.isAsked) {
        reading.current.isDue = true;
        return;
      }
      reading.current.isAsked = true;
      again();
    };
    const tell = (told: FollowedRun['state']): void => {
      if (!signal.aborted) setState(told);
    };
    const onPlace = (id: string): void => {
      if (!signal.aborted) place.current = { traceId, id };
    };
    const onConnected = (): void => tell('on');
    const onLost = (): void => tell('lost');
    const follow = async (): Promise<void> => {
      const options = { signal, lastEventId: place.current?.id, leaving: true, onPlace, onConnected, onLost };
      for await (const event of followInTurns(collector, { trace: traceId }, options)) {
        if (event.event === 'run') {
          setDeleted(undefined);
          change();
        } else if (event.event === 'deleted') {
          if (event.data.traceIds.includes(traceId)) setDeleted(traceId);
        } else if (event.event === 'forgotten') {
          const { runs, unsummarisedRuns = 0 } = await collector.listRuns({
            trace: traceId,
            replays: 'include',
            limit: 1,
          });
          if (runs.length === 0 && unsummarisedRuns === 0) setDeleted(traceId);
        }
      }
    };
    follow().catch(() => tell('off'));
    return () => ending.abort();
  }, [collector, traceId, hasPlace, isShown]);
  return { isDeleted: deleted !== undefined && deleted === traceId, state };
}
