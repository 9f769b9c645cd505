// An answer as typed, and the body that is sent from it. Pure. The server checks again.
import type { Wait, WaitAnswerInput } from '#console/api/types.ts'
import {
  createCheck,
  type Entries,
  type InputsSchema,
  missingInputs,
  readEntries,
  readJson,
  toEntry,
} from '#console/shared/run-form/inputs.ts'

export type AnswerDraft = {
  decision: WaitAnswerInput['decision']
  entries: Entries
  comment: string
  /** The changed value as text; null if nobody changed it. */
  edited: string | null
}

export const formOf = ({ form }: Pick<Wait, 'form'>): InputsSchema => (form ?? {}) as InputsSchema

export const startEntries = (form: InputsSchema): Entries =>
  Object.fromEntries(
    Object.entries(form.properties ?? {}).flatMap(([id, schema]) => {
      const entry = toEntry(schema, schema.default)
      return entry === undefined ? [] : [[id, entry]]
    }),
  )

export type ReadAnswer = { body: WaitAnswerInput } | { problems: Readonly<Record<string, string>> }

/** Whoever rejects need not fill in the form, so that then only a complete one is sent. */
export function readAnswer(
  wait: Pick<Wait, 'form' | 'mayEdit' | 'value'>,
  form: InputsSchema,
  { decision, entries, comment, edited }: AnswerDraft,
): ReadAnswer {
  const { inputs, problems } = readEntries(form, entries)
  const missing = missingInputs(form, inputs)
  const wrong: Record<string, string> = { ...createCheck(form)(inputs), ...problems }
  for (const id of missing) wrong[id] ??= 'Fill this in.'
  const isComplete = Object.keys(wrong).length === 0
  if (decision === 'approve' && !isComplete) return { problems: wrong }
  const value = editedValue(wait, edited)
  if (value && 'problem' in value) return { problems: { value: value.problem } }
  return {
    body: {
      decision,
      ...(wait.form !== null && isComplete ? { response: inputs } : {}),
      ...(value ? { value: value.value } : {}),
      ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
    },
  }
}

function editedValue({ mayEdit, value }: Pick<Wait, 'mayEdit' | 'value'>, edited: string | null) {
  if (!mayEdit || edited === null) return null
  if (typeof value === 'string') return edited === value ? null : { value: edited }
  const read = readJson(edited)
  if (read === null || 'problem' in read) return read
  return JSON.stringify(read.value) === JSON.stringify(value) ? null : read
}
