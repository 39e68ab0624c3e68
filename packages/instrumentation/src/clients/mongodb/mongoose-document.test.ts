import { encodeValue, type Payload, servedClasses } from '@reenact/trace-model';
import mongoose from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

const schema = new mongoose.Schema(
  {
    symbol: { type: String, required: true },
    shares: { type: Number, min: 1 },
    at: Date,
    fills: [{ price: mongoose.Schema.Types.Decimal128 }],
    notes: { type: Map, of: String },
  },
  { toJSON: { virtuals: true, transform: (_, shown) => ({ ...shown, _id: undefined }) } },
);
schema.virtual('title').get(function title() {
  return `${this.shares} of ${this.symbol}`;
});
const Order = mongoose.model('Order', schema);

/** As a query gives it. */
const found = () =>
  Order.hydrate({
    _id: new mongoose.Types.ObjectId('0123456789abcdef01234567'),
    symbol: 'ACME',
    shares: 3,
    at: new Date(0),
    fills: [{ _id: new mongoose.Types.ObjectId('0123456789abcdef01234568'), price: '7.25' }],
    notes: { by: 'me' },
    __v: 0,
  });

describe('a document of Mongoose that a tool gives', () => {
  it('comes back as a document of its model', async () => {
    const find = tool('find', async () => [found()]);
    const run = agent('run', async () => {
      const [order] = await find();
      if (order === undefined) throw new Error('nothing was found');
      const { symbol, id, fills, notes, at } = order;
      const price = String(fills[0]?.price);
      const shown = [
        symbol,
        order.get('title'),
        id,
        price,
        notes?.get('by'),
        at,
        JSON.stringify(order),
        order.isModified(),
      ];
      order.shares = 0;
      const invalid: unknown = await order.validate().catch(({ errors }) => Object.keys(errors));
      return [...shown, order instanceof Order, order.modifiedPaths(), invalid];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toMatchObject({
      value: [
        'ACME',
        '3 of ACME',
        '0123456789abcdef01234567',
        '7.25',
        'me',
        new Date(0),
        expect.anything(),
        false,
        true,
        ['shares'],
        ['shares'],
      ],
    });
    expect(replayed).toEqual(recorded);
    const crossings = (await host.recorded()).map(crossingOf);
    expect(crossings.flatMap(({ lossy }) => lossy)).toEqual([]);
  });

  it('is said to be more than what comes back where it was changed, or never stored', () => {
    const changed = found();
    changed.shares = 7;
    expect(encodeValue([new Order({ symbol: 'ACME' }), changed]).lossy).toEqual([
      '/0 class mongoose:Order',
      '/1 class mongoose:Order',
    ]);
  });

  it('is absent where its model is not defined', () => {
    const { payload } = encodeValue(found());
    expect([...servedClasses(payload).absent]).toEqual([]);
    const ofAnother: Payload = { ...payload, data: (payload.data ?? '').replace('mongoose:Order', 'mongoose:Fill') };
    expect([...servedClasses(ofAnother).absent]).toEqual(['mongoose:Fill']);
  });
});
