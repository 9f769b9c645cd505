import type { RunNode } from '#console/api/types.ts'

type WaitReason = NonNullable<RunNode['waitReason']>

/** Why a step has not called its model yet. */
export function waitWords({ kind, model, position }: Omit<WaitReason, 'since' | 'until'>): string {
  switch (kind) {
    case 'LANE':
      return `Waiting for its turn${position === undefined ? '' : `, number ${position}`}`
    case 'RATE_LIMIT':
      return `${model ?? 'The provider'} is busy`
    case 'BUDGET':
      return 'Waiting for the spend limit'
    case 'RETRY':
      return 'Waiting to try again'
    default:
      return kind satisfies never
  }
}
