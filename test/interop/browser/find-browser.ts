import { spawnSync } from 'node:child_process';

/** Browsers that the suites can drive, by the names of their programs. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Debian's packages of one, and of another that is no relative of it. */
export const BROWSER_PACKAGES = ['chromium', 'firefox-esr'];

function findProgram(programs: readonly string[]): string | undefined {
  for (const program of programs) {
    const { status, stdout } = spawnSync('which', [program], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}

/** Path of a browser of this machine; undefined where it has none, and the suites that need one are left out by name. */
export function findBrowser(): string | undefined {
  return findProgram(PROGRAMS);
}

/** Path of a Firefox of this machine; undefined as with `findBrowser`. */
export function findFirefox(): string | undefined {
  return findProgram(['firefox', 'firefox-esr']);
}
