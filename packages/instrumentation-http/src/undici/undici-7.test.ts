import * as undici from 'undici-7';
import { describe } from 'vitest';
import { describeFidelity } from '../testdata/undici-fidelity.ts';
import { describeGate } from '../testdata/undici-gate.ts';

describe('undici 7', () => describeFidelity(undici as never));

describe('the gate around undici 7', () => describeGate(undici as never));
