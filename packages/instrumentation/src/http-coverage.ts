const COVERAGE = Symbol.for('reenact.http-coverage.1');

/** Whether requests of this process are recorded whoever sends them; shared between all copies of this package that are loaded. */
export interface HttpCoverage {
  /** How many instrumentations see every request that is sent. */
  installations: number;
}

function findOrMakeCoverage(): HttpCoverage {
  const holder = globalThis as { [COVERAGE]?: HttpCoverage };
  const found = holder[COVERAGE];
  if (found !== undefined) return found;
  const made: HttpCoverage = { installations: 0 };
  Object.defineProperty(holder, COVERAGE, { value: made });
  return made;
}

/** The state of this process. */
export const httpCoverage: HttpCoverage = findOrMakeCoverage();
