import type { Args } from '../command.ts'
import { usageFailure } from '../terminal/failure.ts'

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `--economy` with its `--deadline`: a time, or how far away it is. */
export function readDeadline(args: Args, nowMs: number): { lane?: 'economy'; deadlineAt?: string } {
  const text = args.text('deadline')
  if (!args.flag('economy')) {
    if (text !== undefined) throw usageFailure('--deadline needs --economy.')
    return {}
  }
  if (text === undefined) throw usageFailure('--economy needs --deadline, such as 36h.')
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const atMs = count ? nowMs + Number(count) * (unitMs[unit] ?? 0) : Date.parse(text)
  if (Number.isNaN(atMs))
    throw usageFailure(`--deadline is "${text}": use 36h, 2d or 2026-12-01T09:00:00Z.`)
  return { lane: 'economy', deadlineAt: new Date(atMs).toISOString() }
}
