import { useEffect, useState } from 'preact/hooks';

/** Whether this tab is the one that is looked at in its window. */
export function useShown(): boolean {
  const [isShown, setIsShown] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setIsShown(!document.hidden);
    document.addEventListener('visibilitychange', look);
    look();
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isShown;
}
