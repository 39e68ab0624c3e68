import * as undici from 'undici';
import { describe } from 'vitest';
import { describeFidelity } from '../testdata/undici-fidelity.ts';
import { describeGate } from '../testdata/undici-gate.ts';

describe('undici 8', () => describeFidelity(undici));

describe('the gate around undici 8', () => describeGate(undici));
