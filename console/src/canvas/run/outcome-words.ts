import type { ListedRun } from '#console/api/types.ts'

type Outcome = {
  /** What the status says from then on. */
  readonly status: string
  /** A failure, said at once and in full. */
  readonly alert: string
}

/** How a run ended, for people who cannot see it. */
export function outcomeWords(
  { status, nodeErrors }: Pick<ListedRun, 'status' | 'nodeErrors'>,
  nameOf: (nodeId: string) => string,
): Outcome {
  const [first] = nodeErrors
  return {
    status: `Run ${status.toLowerCase()}`,
    alert:
      status === 'FAILED'
        ? ['Run failed', first && `${nameOf(first.nodeId)}, ${first.message}`]
            .filter(Boolean)
            .join(': ')
        : '',
  }
}
