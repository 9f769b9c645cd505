// The state of a run form: what was typed, what is wrong with it, what it would cost, and sending
// it.
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { RunInput, SubmittedRun } from '#console/api/types.ts'
import {
  createCheck,
  type Entries,
  type InputsSchema,
  missingInputs,
  readEntries,
  toEntries,
} from './inputs.ts'
import { noMore, readMore } from './more-options.ts'
import type { StartValues } from './start-values.ts'
import { createSubmissionKey } from './submission-key.ts'
import { useEstimate } from './use-estimate.ts'

type Values = Readonly<Record<string, unknown>>

type Options = {
  workflowId: number
  start: StartValues
  /** What browser nodes made; undefined if the form was opened outside the canvas. */
  given: Values | undefined
  onStarted(runId: string): void
}

export function useRunForm({ workflowId, start, given, onStarted }: Options) {
  const { schema } = start
  const check = useMemo(() => createCheck(schema), [schema])
  const [entries, setEntries] = useState<Entries>(() => toEntries(schema, check, start.values))
  const [more, setMore] = useState(noMore)
  const [isAsked, setAsked] = useState(false)
  const keyFor = useMemo(() => createSubmissionKey(), [])

  const read = readEntries(schema, entries)
  const { options, problems: moreProblems } = readMore(more)
  const typed = { ...check(read.inputs), ...read.problems }
  const inputs: Values = { ...read.inputs, ...madeInputs(schema, given ?? start.values) }
  const estimate = useEstimate(workflowId, without(inputs, typed))
  const run = useMutation({
    mutationFn: () => {
      const body: RunInput = { inputs, ...options }
      return publicCall<SubmittedRun>(`/workflows/${workflowId}/runs`, {
        method: 'POST',
        headers: { 'idempotency-key': keyFor(body) },
        body,
      })
    },
    onSuccess: ({ runId }) => onStarted(runId),
  })
  const failure = run.error ? toApiFailure(run.error) : null
  const missing = Object.fromEntries(
    missingInputs(schema, { ...read.inputs, ...read.problems }).map((id) => [id, 'Required.']),
  )
  const refused = Object.fromEntries(
    (failure?.issues ?? []).map(({ path, message }) => [path.split('/')[1] ?? '', message]),
  )
  return {
    entries,
    setEntry: (id: string, entry: Entries[string]) =>
      setEntries((now) => ({ ...now, [id]: entry })),
    clear: () => setEntries({}),
    inputs,
    more,
    setMore,
    moreProblems,
    problems: { ...refused, ...(isAsked ? missing : {}), ...typed },
    estimate,
    run,
    failure,
    /** Starts the run, or returns the first input that prevents it. */
    submit(): string | null {
      setAsked(true)
      const [first] = Object.keys({ ...missing, ...typed })
      if (first !== undefined) return first
      if (Object.keys(moreProblems).length === 0 && !run.isPending) run.mutate()
      return null
    },
  }
}

/** What browser nodes made, here or for the run being repeated; no field shows it. */
const madeInputs = ({ properties = {} }: InputsSchema, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([id]) => Object.hasOwn(properties, id) && properties[id]?.['x-browser-node'],
    ),
  )

const without = (inputs: Values, problems: Readonly<Record<string, string>>): Values =>
  Object.fromEntries(Object.entries(inputs).filter(([id]) => problems[id] === undefined))
