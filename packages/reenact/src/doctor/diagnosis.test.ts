import { describe, expect, it } from 'vitest';
import type { Terminal } from '../terminal/terminal.ts';
import { diagnosisOf, hasProblem, renderDiagnosis } from './diagnosis.ts';
import type { Finding } from './finding.ts';

const ignore = (): void => undefined;
const terminal: Terminal = { out: ignore, err: ignore, data: ignore, colour: false, columns: 80, wraps: false };
const started: Finding = { type: 'started', processId: 1 };
const ended: Finding = { type: 'ended', processId: 1, crossings: { 'agent:a': 1 }, flagged: {}, recorders: 1 };

function lastLine(findings: readonly Finding[]): string | undefined {
  return renderDiagnosis(diagnosisOf(findings, [], 'exit code 0'), terminal)
    .split('\n')
    .at(-1);
}

describe('a diagnosis without a problem', () => {
  it('has a check mark only where nothing is marked otherwise', () => {
    const unwrapped: Finding = { type: 'trap', kind: 'unwrapped-driver', detail: 'postgres' };
    expect(lastLine([started, ended])).toBe('✓ No problem found.');
    const notes = 'No problem found, but look at what is marked with !.';
    expect(lastLine([started, unwrapped, ended])).toBe(notes);
    expect(lastLine([started, { ...ended, flagged: { 'tool:t user.id': 2 } }])).toBe(notes);
    expect(lastLine([started, { ...ended, crossings: {} }])).toBe(notes);
  });
});

describe('a diagnosis of a command in which nothing records', () => {
  const silent: Finding = { ...ended, crossings: {}, recorders: 0 };

  it('is a problem that names the two ways to record, not advice to call something', () => {
    const diagnosis = diagnosisOf([started, silent], [], 'exit code 0');
    expect(hasProblem(diagnosis)).toBe(true);
    const text = renderDiagnosis(diagnosis, terminal);
    expect(text).toMatch(/^✗ Nothing records in this command/);
    expect(text).toMatch(/--import reenact\/register.*RecordingProcessor/);
    expect(text).not.toContain('Give it something to do');
    expect(text).not.toContain('It ended with');
  });

  it('says how the command ended where it may have failed before it set recording up', () => {
    const text = renderDiagnosis(diagnosisOf([started, silent], [], 'exit code 1'), terminal);
    expect(text).toMatch(/^✗ Nothing records in this command/);
    expect(text).toContain('It ended with exit code 1: where it failed before it set that up');
  });

  it('is none where one of its processes records, or none lived to tell', () => {
    expect(hasProblem(diagnosisOf([started, silent, ended], [], 'exit code 0'))).toBe(false);
    expect(hasProblem(diagnosisOf([started], [], 'signal SIGKILL'))).toBe(false);
  });
});

describe('a diagnosis of a command that fails', () => {
  const idle: Finding = { ...ended, crossings: {} };

  it('is a problem where nothing had been recorded: what would be is not known', () => {
    const diagnosis = diagnosisOf([started, idle], [], 'exit code 1');
    expect(hasProblem(diagnosis)).toBe(true);
    const text = renderDiagnosis(diagnosis, terminal);
    expect(text).toContain('✗ The command failed before anything was recorded. It ended with exit code 1.');
    expect(text).not.toContain('No problem found');
  });

  it('is none of a service that was stopped, nor where something was recorded, and then says how it ended', () => {
    expect(hasProblem(diagnosisOf([started, idle], [], 'exit code 130'))).toBe(false);
    expect(hasProblem(diagnosisOf([started, idle], [], 'signal SIGTERM'))).toBe(false);
    const diagnosis = diagnosisOf([started, ended], [], 'exit code 1');
    expect(hasProblem(diagnosis)).toBe(false);
    expect(renderDiagnosis(diagnosis, terminal)).toContain('Recorded while it ran, until it ended with exit code 1:');
  });
});
