// The state of a run form: what was typed, what is wrong with it, what it would cost, and sending
// it.
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { RunInput } from '#console/api/types.ts'
import {
  createCheck,
  type Entries,
  type InputsSchema,
  missingInputs,
  readEntries,
  toEntries,
} from './inputs.ts'
import { noMore, readMore } from './more-options.ts'
import type { RunSource, Values } from './run-source.ts'
import { createSubmissionKey } from './submission-key.ts'
import { useEstimate } from './use-estimate.ts'

export type EntriesState = readonly [Entries, (next: (now: Entries) => Entries) => void]

export type RunFormOptions = {
  source: RunSource
  schema: InputsSchema
  /** Initial values. */
  values: Values
  /** Where the entries are kept, if they outlive the form. */
  kept?: EntriesState
  /** What browser nodes made; undefined if the form was opened outside the canvas. */
  given: Values | undefined
  onStarted(runId: string): void
}

export function useRunForm({ source, schema, values, kept, given, onStarted }: RunFormOptions) {
  const check = useMemo(() => createCheck(schema), [schema])
  const own = useState<Entries>(() => toEntries(schema, check, values))
  const [entries, setEntries] = kept ?? own
  const [more, setMore] = useState(noMore)
  const [isAsked, setAsked] = useState(false)
  const keyFor = useMemo(() => createSubmissionKey(), [])

  const read = readEntries(schema, entries)
  const { options, problems: moreProblems } = readMore(more)
  const typed = { ...check(read.inputs), ...read.problems }
  const inputs: Values = { ...read.inputs, ...madeInputs(schema, given ?? values) }
  const { lane, deadlineAt } = options
  const estimate = useEstimate(source, {
    inputs: without(inputs, typed),
    ...(lane && deadlineAt ? { lane, deadlineAt } : {}),
  })
  const run = useMutation({
    mutationFn: () => {
      const body: RunInput = { inputs, ...options }
      return source.start(body, keyFor({ source: source.name, body }))
    },
    onSuccess: (started) => {
      if (started) onStarted(started.runId)
    },
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
    clear: () => setEntries(() => ({})),
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
