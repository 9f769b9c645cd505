import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { RunFields } from './run-fields.tsx'
import { storedWorkflow } from './run-source.ts'
import { readStart } from './start-values.ts'

export type RunFormProps = {
  workflowId: number
  /** What browser nodes made, by node. Shown, but not asked for. */
  given?: Readonly<Record<string, unknown>>
  /** Initial values of the fields, instead of the inputs of the last run. */
  inputs?: Readonly<Record<string, unknown>>
  onStarted(runId: string): void
}

/** The inputs of a run, from the workflow's inputSchema, and the button that starts it. */
export function RunForm({ workflowId, given, inputs, onStarted }: RunFormProps) {
  const query = useQuery({
    queryKey: ['run form', workflowId, inputs ?? null],
    queryFn: () => readStart(workflowId, inputs),
    // A refetch must not change the fields while someone is typing.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const source = useMemo(() => storedWorkflow(workflowId), [workflowId])
  return (
    <Loadable query={query} skeleton={<SkeletonRows />}>
      {({ schema, from, values }) => (
        <RunFields {...{ source, schema, from, values, given, onStarted }} />
      )}
    </Loadable>
  )
}
