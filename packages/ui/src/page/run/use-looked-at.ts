import { useEffect, useRef, useState } from 'preact/hooks';
import { useSettled } from './use-settled.ts';

/** Keys that are held down come faster. */
const PASSED_BY_MS = 150;

/** Which crossing is chosen, and which of those is looked at: what is passed by fast is neither asked for nor written into the address. */
export interface LookedAt {
  readonly selected: string | undefined;
  readonly looked: string | undefined;
  readonly select: (spanId: string) => void;
}

/** `named`: the crossing that the address names, or means. `write` has the address name another. */
export function useLookedAt(named: string | undefined, write: (spanId: string) => void): LookedAt {
  const [selected, select] = useState(named);
  const looked = useSettled(selected, PASSED_BY_MS);
  const written = useRef(named);
  useEffect(() => {
    // What was written here comes back later than the next key.
    if (named !== written.current) select(named);
    written.current = named;
  }, [named]);
  useEffect(() => {
    if (looked === undefined || looked === written.current) return;
    written.current = looked;
    write(looked);
  }, [looked]);
  return { selected, looked, select };
}
