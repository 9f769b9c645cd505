import type { RunNode, ShownWait, WaitSummary } from '#console/api/types.ts'
import type { StatusKind } from '#console/ui/status.tsx'

/** What a run waits for, if it is not a provider. */
export const waitKindWords: Record<ShownWait['kind'], string> = {
  APPROVAL: 'Waiting for approval',
  CALLBACK: 'Waiting for a message',
  DELAY: 'Waiting for its time',
}

export const titleOf = ({ title, kind, nodeId }: Pick<WaitSummary, 'title' | 'kind' | 'nodeId'>) =>
  title !== '' ? title : kind === 'CALLBACK' ? `Message for ${nodeId}` : nodeId

type WaitReason = NonNullable<RunNode['waitReason']>

/** The state of a node whose call is held up: it works on nothing. */
export const delayedLook = (reason: WaitReason): { kind: StatusKind; label: string } => ({
  kind: 'waiting',
  label: waitWords(reason),
})

/** Why a step has not called its model yet. */
export function waitWords({ kind, model, position }: Omit<WaitReason, 'since' | 'until'>): string {
  switch (kind) {
    case 'LANE':
      return `Waiting for its turn${position === undefined ? '' : `, number ${position}`}`
    case 'RATE_LIMIT':
      return `Waiting: ${model ?? 'the provider'} is busy`
    case 'BUDGET':
      return 'Waiting for the spend limit'
    case 'RETRY':
      return 'Waiting to try again'
    default:
      return kind satisfies never
  }
}
