import { spawnSync } from 'node:child_process';

/** Browsers that the suites can drive, by the names of their programs. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Debian's package of one. */
export const BROWSER_PACKAGE = 'chromium';

/** Path of a browser of this machine; undefined where it has none, and the suites that need one are left out by name. */
export function findBrowser(): string | undefined {
  for (const program of PROGRAMS) {
    const { status, stdout } = spawnSync('which', [program], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}
