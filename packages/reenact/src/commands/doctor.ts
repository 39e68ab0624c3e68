import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportSettingTraps, type Trap, trapLog } from '@reenact/instrumentation';
import { hookFlag, runChild } from '@reenact/replay';
import type { Command } from 'commander';
import { diagnosisOf, hasProblem, renderDiagnosis } from '../doctor/diagnosis.ts';
import { DOCTOR_VARIABLE } from '../doctor/doctor-witness.ts';
import { type Finding, findingSchema } from '../doctor/finding.ts';
import { reportReceiver, reportSpool } from '../doctor/receiver-check.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';

interface DoctorOptions {
  readonly json?: boolean;
  readonly asIs?: boolean;
}

const registerUrl = import.meta.resolve('../register.js');
const witnessUrl = import.meta.resolve('../doctor/witness-hook.js');
function readFindings(path: string): Finding[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = findingSchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}

async function runExamined(
  command: readonly string[],
  { json: isForPrograms = false, asIs = false }: DoctorOptions,
  environment: NodeJS.ProcessEnv,
): Promise<{ findings: Finding[]; end: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-doctor-'));
  const path = join(folder, 'findings.ndjson');
  const hook = hookFlag(environment, { registerUrl: asIs ? witnessUrl : registerUrl, command });
  // The witness comes first: what is loaded between the command's own hook and it would look as if it came before that.
  const flags = asIs ? [hook, environment.NODE_OPTIONS] : [environment.NODE_OPTIONS, hook];
  const nodeOptions = flags.filter((flag) => flag !== undefined);
  try {
    const end = await runChild(
      { command, stdio: isForPrograms ? 'stderr' : 'inherit' },
      { ...environment, NODE_OPTIONS: nodeOptions.join(' '), [DOCTOR_VARIABLE]: path },
    );
    return { findings: readFindings(path), end };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `reenact doctor [-- <command>]`: what would keep a recording from being whole, and the fix. */
export function addDoctorCommand(program: Command, { terminal, environment, exitWith }: CommandContext): void {
  program
    .command('doctor')
    .description('find what would keep a recording from being whole, and how to mend it')
    .argument('[command...]', 'how your agent is started, after --; it runs for real, and is recorded as always')
    .option('--as-is', 'bring no hook along: for an app that sets up recording itself, or is started with the hook')
    .option('--json', "print JSON; the command's output goes to standard error")
    .addHelpText('after', exitCodesHelp({ 0: 'no problem', 1: 'a problem was found', 2: 'unusable input' }))
    .action(async (command: string[], options: DoctorOptions) => {
      const here: Trap[] = [];
      trapLog.listen((trap) => here.push(trap));
      reportSettingTraps(environment);
      await reportReceiver(environment);
      const isForPrograms = options.json === true;
      const ran = command.length === 0 ? undefined : await runExamined(command, options, environment);
      // Only now: the command may have handed over what waited, or left more.
      await reportSpool(environment);
      const diagnosis = diagnosisOf(ran?.findings ?? [], here, ran?.end);
      terminal.out(isForPrograms ? JSON.stringify(diagnosis, null, 2) : renderDiagnosis(diagnosis, terminal));
      exitWith(hasProblem(diagnosis) ? 1 : 0);
    });
}
