import { closestName, parseSelector, type Recording } from '@reenact/trace-model';
import type { Plan } from '../plan/plan-schema.ts';
import type { EventHistory } from './event-history.ts';

/** The paths that the plan lets run although nothing was recorded there, and that the replay did not call either. */
export function uncalledAnew(plan: Plan | undefined, recording: Recording, { met }: EventHistory): string[] {
  const rules = plan?.rules.filter(({ policy }) => policy === 'live') ?? [];
  const paths = rules.flatMap(({ selector }) => parseSelector(selector).path ?? []);
  const isKnown = (path: string): boolean => recording.crossings.some((crossing) => crossing.path === path);
  return paths.filter((path) => !(path.includes('*') || isKnown(path) || met.some(({ event }) => event.path === path)));
}

/** What is said of such a path: as likely as not it is misspelt. */
export function uncalledNote(path: string, { crossings }: Recording): string {
  const close = closestName(
    path,
    crossings.map((crossing) => crossing.path),
  );
  const meant = close === undefined ? '' : ` Did you mean "${close}"?`;
  return `--live "${path}" names a call that was not recorded, and the replay did not make it: nothing ran for that.${meant}`;
}
