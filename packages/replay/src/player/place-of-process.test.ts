import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { localeOfProcess, timeZoneOfProcess } from './place-of-process.ts';

const zoneBefore = process.env.TZ;
const zones = [
  'UTC',
  'Etc/UTC',
  'Zulu',
  'Europe/Zurich',
  'America/New_York',
  'Asia/Tokyo',
  'Pacific/Chatham',
  'nonsense',
  '',
];
const locales = ['en_US.UTF-8', 'de_AT.UTF-8', 'pt_BR', 'zh_TW', 'sr_Latn_RS', 'nb_NO', 'iw_IL', 'C', 'POSIX'];

afterEach(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

describe('where a process stands', () => {
  it('is the time zone that Intl names, whatever was expected', () => {
    for (const zone of [undefined, ...zones]) {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
      const named = Intl.DateTimeFormat().resolvedOptions().timeZone;
      for (const expected of [named, 'UTC', 'Europe/Zurich', 'Asia/Tokyo', 'nowhere']) {
        expect(timeZoneOfProcess(expected), `${zone} expected as ${expected}`).toBe(named);
      }
    }
  });

  it.each(locales)('is the locale that Intl names, under %s', (locale) => {
    const script = `import('${import.meta.resolve('./place-of-process.ts')}').then(({ localeOfProcess }) => {
      const named = Intl.DateTimeFormat().resolvedOptions().locale;
      console.log([named, 'en-US', 'de', 'xx'].every((expected) => localeOfProcess(expected) === named));
    });`;
    const environment = { PATH: process.env.PATH, LC_ALL: locale };
    expect(execFileSync(process.execPath, ['-e', script], { env: environment, encoding: 'utf8' }).trim()).toBe('true');
  });

  it('is told alike when asked twice', () => {
    const { locale } = Intl.DateTimeFormat().resolvedOptions();
    expect([localeOfProcess(locale), localeOfProcess('xx')]).toEqual([locale, locale]);
  });
});
