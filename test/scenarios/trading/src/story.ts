import { styleText } from 'node:util';

const colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '';

function paint(format: Parameters<typeof styleText>[0], text: string): string {
  return colour ? styleText(format, text, { validateStream: false }) : text;
}

/** A headline of the walk-through. */
export function chapter(number: number, title: string): void {
  console.log(`\n${paint(['bold', 'cyan'], `${number}. ${title}`)}`);
}

/** Plain words. */
export function say(text: string): void {
  console.log(`   ${text}`);
}

/** The command a user would type for what happens next. */
export function showCommand(command: string): void {
  console.log(`\n   ${paint('bold', `$ ${command}`)}`);
}

/** What a command printed, set in. */
export function showOutput(text: string): void {
  for (const line of text.trimEnd().split('\n')) console.log(`   ${paint('gray', '│')} ${line}`);
}

/** A fact that was checked just now; the demo fails where it does not hold. */
export function prove(fact: string, holds: boolean): void {
  console.log(`   ${holds ? paint('green', '✓') : paint('red', '✗')} ${fact}`);
  if (!holds) throw new DemoFailure(fact);
}

/** A step of the demo did not do what it promises. */
export class DemoFailure extends Error {
  constructor(fact: string) {
    super(`This should have been true: ${fact}`);
    this.name = 'DemoFailure';
  }
}
