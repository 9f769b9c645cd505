// A time axis that wastes no space: where nothing happened for long, it is folded and labelled with
// the length of the gap. Pure.

export type Span = { readonly fromMs: number; readonly toMs: number }

export type Timeline = {
  /** From 0 to 1; times outside are clamped to the nearer end. */
  place(atMs: number): number
  readonly folds: readonly { readonly from: number; readonly to: number; readonly ms: number }[]
}

/** A shorter pause is shown as it is. */
const shortestFoldMs = 1_000
/** As a share of the time worked; a gap that is small beside the work needs no folding. */
const foldShare = 0.2
/** The width of a fold, as a share of all time that is shown in full. */
const foldWidth = 0.06

export function createTimeline(whole: Span, busy: readonly Span[]): Timeline {
  const gaps = gapsOf(whole, busy)
  const length = Math.max(0, whole.toMs - whole.fromMs)
  const worked = length - gaps.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0)
  const limit = Math.max(shortestFoldMs, worked * foldShare)
  const folded = gaps.filter((gap) => gap.toMs - gap.fromMs > limit)
  const shown = length - folded.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0)
  const width = Math.max(1, shown * foldWidth)
  const total = Math.max(1, shown + folded.length * width)
  const place = (atMs: number): number => {
    const at = Math.min(Math.max(atMs, whole.fromMs), whole.toMs)
    let drawn = at - whole.fromMs
    for (const { fromMs, toMs } of folded) {
      if (at <= fromMs) break
      const inside = Math.min(at, toMs) - fromMs
      drawn += (inside / (toMs - fromMs)) * width - inside
    }
    return drawn / total
  }
  return {
    place,
    folds: folded.map(({ fromMs, toMs }) => ({
      from: place(fromMs),
      to: place(toMs),
      ms: toMs - fromMs,
    })),
  }
}

function gapsOf({ fromMs, toMs }: Span, busy: readonly Span[]): Span[] {
  const gaps: Span[] = []
  let reached = fromMs
  for (const span of [...busy].sort((a, b) => a.fromMs - b.fromMs)) {
    const from = Math.min(span.fromMs, toMs)
    if (from > reached) gaps.push({ fromMs: reached, toMs: from })
    reached = Math.max(reached, Math.min(span.toMs, toMs))
  }
  if (toMs > reached) gaps.push({ fromMs: reached, toMs })
  return gaps
}
