import { afterEach, beforeEach, expect, it } from 'vitest';
import { entryFor } from './expect-refused.ts';
import { folderPicture } from './folder-picture.ts';
import { GuardStage } from './guard-stage.ts';

let stage: GuardStage;

beforeEach(() => {
  stage = new GuardStage();
});

afterEach(() => stage.strike());

it('lets code without a boundary start the programs that are named, and none beside them', async () => {
  const before = folderPicture(stage.work);
  const replayed = await stage.replay({
    attempts: 'other-programs',
    guard: { allowHosts: [], allowPaths: [], allowPrograms: ['touch'] },
  });
  const added = Object.keys(folderPicture(stage.work)).filter((name) => !(name in before));
  expect(added.sort()).toEqual(['exec-file.txt', 'shell.txt', 'spawn.txt']);
  const refused = [...replayed.attempted.values()].filter(({ code }) => code !== undefined).map(({ name }) => name);
  expect(refused).toEqual(['a shell that does more', 'spawn of mkdir']);
  expect(entryFor(replayed, 'spawn of mkdir').next).toContain('To let it happen: --allow-program mkdir.');
  const { next } = entryFor(replayed, 'a shell that does more');
  expect(next).toContain('No flag lets it happen');
  expect(next).not.toContain('To let it happen');
  expect(replayed.report.notes.join('\n')).toContain(
    'child_process.spawn started touch for real, as it was allowed to',
  );
});
