import { parseSync, Visitor } from 'oxc-parser';

/** One function of a file: the line it starts on, from 1, and how many lines it has. */
export interface FunctionLength {
  readonly line: number;
  readonly lines: number;
}

/** The length of every function, method and arrow function of a TypeScript file. */
export function functionLengths(path: string, text: string): FunctionLength[] {
  const found: FunctionLength[] = [];
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message ?? 'cannot be parsed'}`);
  const measure = (node: { start: number; end: number }): void => {
    const line = text.slice(0, node.start).split('\n').length;
    found.push({ line, lines: text.slice(node.start, node.end).split('\n').length });
  };
  new Visitor({ FunctionDeclaration: measure, FunctionExpression: measure, ArrowFunctionExpression: measure }).visit(
    program,
  );
  return found;
}
