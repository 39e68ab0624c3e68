import { agent, tool } from 'reenact';

/** A queue that forgets who asked, as connection pools and event emitters do; made before any run. */
const waiting: (() => void)[] = [];
let wake: () => void = () => undefined;

async function serve(): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (const task of waiting.splice(0)) task();
  }
}

void serve();

function queued<Value>(task: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    waiting.push(() => task().then(resolve, reject));
    wake();
  });
}

const add = tool('add', async (number: number) => {
  if (process.env.TOOL_MUST_NOT_RUN === '1') process.stderr.write('ran for real\n');
  return number + 1;
});

const adder = agent('adder', (number: number) =>
  process.env.LOSE_CONTEXT === '1' ? queued(() => add(number)) : add(number),
);

console.log(await adder(41));
