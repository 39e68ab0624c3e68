import { type StampedEvent, stampedEventSchema } from './replay-event.ts';

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Reads what a process reported, one event per line; what is none is left out and noted. `name`: of where it came from. */
export function readEventLines(text: string, name: string, notes: string[]): StampedEvent[] {
  const lines = text.split('\n');
  // A process that was killed while it wrote leaves half a line, which is the last one.
  if (lines.pop() !== '') notes.push(`${name} ends in the middle of a line: its process was stopped while reporting.`);
  return lines.flatMap((line, index) => {
    const parsed = stampedEventSchema.safeParse(parseLine(line));
    if (parsed.success) return [parsed.data];
    notes.push(`Line ${index + 1} of ${name} is not a report of this version and was left out.`);
    return [];
  });
}
