import { useEffect, useRef, useState } from 'preact/hooks';

/** A value as it was when it last stayed for so long; at once where nothing came before it in that time. */
export function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  const changedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const now = performance.now();
    const isAlone = now - changedAt.current > pauseMs;
    changedAt.current = now;
    if (isAlone) {
      setSettled(value);
      return;
    }
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
