/** How fast a replay goes: without waiting, or with the delays of the recorded run. */
export const PACES = ['virtual', 'recorded'] as const;

/** One of them. */
export type Pace = (typeof PACES)[number];
