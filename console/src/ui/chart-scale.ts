/** The top of the axis and its ticks, about four steps of 1, 2 or 5 times a power of ten. */
export function chartScale(highest: number): { top: number; ticks: number[] } {
  if (!(highest > 0)) return { top: 1, ticks: [0, 1] }
  const rough = highest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(highest / step - 1e-9)
  // Multiplied rather than added up: sums of 0.1 drift.
  const ticks = Array.from({ length: count + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  )
  return { top: ticks.at(-1) ?? 1, ticks }
}

/** Seven series have a colour; any further one and "other" are grey. */
export const seriesColour = (index: number, key: string): string =>
  key === 'other' || index > 6 ? 'var(--series-other)' : `var(--series-${index + 1})`
