import { afterEach, expect, it } from 'vitest';
import { ListeningWatch } from './listening-watch.ts';

const undos: (() => void)[] = [];
afterEach(() => {
  for (const undo of undos.splice(0)) undo();
});

it('tells whoever wants to know, by whichever copy, once for one server in however many patches, until it is not wanted', () => {
  const [one, other] = [new ListeningWatch<string>('listening-test.1'), new ListeningWatch<string>('listening-test.1')];
  const heard: string[] = [];
  undos.push(
    one.add((address) => heard.push(`first ${address}`)),
    one.add(() => {
      throw new TypeError('not today');
    }),
  );
  const undo = other.add((address) => heard.push(`second ${address}`));
  const server = {};
  const listening = (): string =>
    one.tell(
      server,
      () => ':80',
      () =>
        other.tell(
          server,
          () => ':80',
          () => 'handled',
        ),
    );
  expect([listening(), heard.splice(0)]).toEqual(['handled', ['first :80', 'second :80']]);
  undo();
  expect([listening(), heard.splice(0)]).toEqual(['handled', ['first :80']]);
  const failing = (): never => {
    throw new RangeError("the host's own");
  };
  expect(() => one.tell(server, () => undefined, failing)).toThrow("the host's own");
  expect([listening(), heard]).toEqual(['handled', ['first :80']]);
});
