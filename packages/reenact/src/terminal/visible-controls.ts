/**
 * What a terminal would obey instead of show: control characters but line feed and tab, and those that turn the direction of text.
 * The first group is a whole colour sequence, which our own output holds; it can change how text looks and nothing else.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const obeyed = /(\u001b\[[0-9;]*m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text with such characters written out, `\u001b`: what a customer or a model wrote into a recording must not steer the terminal of
 * whoever reads it. JSON stays the same JSON. Where `hasColour` is false, colours are written out, too.
 */
export function visibleControls(text: string, hasColour: boolean): string {
  return text.replace(obeyed, (found, colour: string | undefined) =>
    colour !== undefined && hasColour ? colour : writtenOut(found),
  );
}

function writtenOut(found: string): string {
  return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}${found.slice(1)}`;
}
