/** A number from 0 up to, and without, `below`. */
export type Random = (below: number) => number;

// Under jest each look at a global costs more than the rest of a draw.
const { imul } = Math;

/** mulberry32 */
export function createRandom(start: number): Random {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
