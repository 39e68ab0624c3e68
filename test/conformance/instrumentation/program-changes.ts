import fc from 'fast-check';
import { AGENT_NAMES, type AskingProgram, TOOL_NAMES } from './asking-program.ts';

/** One change of an engineer to the code of an agent; `at` chooses the place. */
export interface ProgramChange {
  readonly does:
    | 'drop'
    | 'repeat'
    | 'add'
    | 'swap'
    | 'reschedule'
    | 'rename'
    | 'ask-else'
    | 'say-more'
    | 'wrap'
    | 'inline';
  readonly at: number;
}

/** Changes of every kind. */
export const programChanges: fc.Arbitrary<ProgramChange> = fc.record({
  does: fc.constantFrom(
    'drop',
    'repeat',
    'add',
    'swap',
    'reschedule',
    'rename',
    'ask-else',
    'say-more',
    'wrap',
    'inline',
  ),
  at: fc.nat(50),
});

function childrenOf(program: AskingProgram): readonly AskingProgram[] {
  if (program.does === 'call') return [];
  return program.does === 'inside' ? [program.part] : program.parts;
}

function allOf(program: AskingProgram): AskingProgram[] {
  return [program, ...childrenOf(program).flatMap(allOf)];
}

/** The program with something else, or several, or nothing, in the place of one part. */
function replaced(program: AskingProgram, part: AskingProgram, by: readonly AskingProgram[]): AskingProgram {
  if (program === part) return by.length === 1 ? (by[0] ?? program) : { does: 'sequence', parts: by };
  if (program.does === 'call') return program;
  if (program.does === 'inside') return { ...program, part: replaced(program.part, part, by) };
  return {
    ...program,
    parts: program.parts.flatMap((one) => (one === part ? by : [replaced(one, part, by)])),
  };
}

function isChangedBy(does: ProgramChange['does'], part: AskingProgram): boolean {
  switch (does) {
    case 'rename':
    case 'ask-else':
    case 'say-more':
      return part.does === 'call';
    case 'reschedule':
      return part.does === 'sequence' || part.does === 'together';
    case 'swap':
      return part.does === 'sequence' && part.parts.length > 1;
    case 'inline':
      return part.does === 'inside';
    default:
      return true;
  }
}

function swapped(parts: readonly AskingProgram[], at: number): AskingProgram[] {
  const first = at % (parts.length - 1);
  return parts.map((part, index) => {
    if (index === first) return parts[index + 1] ?? part;
    return index === first + 1 ? (parts[first] ?? part) : part;
  });
}

function inItsPlace(part: AskingProgram, { does, at }: ProgramChange): readonly AskingProgram[] {
  if (part.does === 'call') {
    const next = TOOL_NAMES[(TOOL_NAMES.indexOf(part.name) + 1) % TOOL_NAMES.length] ?? part.name;
    if (does === 'rename') return [{ ...part, name: next }];
    if (does === 'ask-else') return [{ ...part, asks: `${part.asks}, in short` }];
    if (does === 'say-more') return [{ ...part, says: [...part.says, 1] }];
  }
  if (part.does === 'sequence' || part.does === 'together') {
    if (does === 'reschedule') return [{ ...part, does: part.does === 'sequence' ? 'together' : 'sequence' }];
    if (does === 'swap') return [{ ...part, parts: swapped(part.parts, at) }];
  }
  if (part.does === 'inside' && does === 'inline') return [part.part];
  if (does === 'drop') return [];
  if (does === 'repeat') return [part, part];
  if (does === 'wrap') return [{ does: 'inside', name: AGENT_NAMES[at % AGENT_NAMES.length] ?? 'x', part }];
  return [{ does: 'call', name: TOOL_NAMES[at % TOOL_NAMES.length] ?? 'a', asks: String(at % 5), says: [] }, part];
}

/** The program after a change; itself where it has nothing that can be changed so. */
export function changedProgram(program: AskingProgram, change: ProgramChange): AskingProgram {
  const places = allOf(program).filter((part) => isChangedBy(change.does, part));
  const place = places[change.at % Math.max(1, places.length)];
  return place === undefined ? program : replaced(program, place, inItsPlace(place, change));
}
