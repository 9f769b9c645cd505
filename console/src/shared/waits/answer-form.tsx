import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Wait, WaitAnswerInput } from '#console/api/types.ts'
import { announce } from '#console/lib/announce.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { lateText, verbOf } from '#console/shared/answer-words.ts'
import { InputField } from '#console/shared/run-form/input-field.tsx'
import { type Entries, readJson } from '#console/shared/run-form/inputs.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Field } from '#console/ui/field.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { toast } from '#console/ui/toasts.ts'
import { type AnswerDraft, formOf, readAnswer, startEntries } from './answer-draft.ts'

const JsonInput = lazy(() => import('#console/shared/run-form/json-input.tsx'))

type AnswerFormProps = {
  wait: Wait
  /** Somebody else was first, or it is over. */
  onLate(): void
  /** `said`: what was answered here, in words. */
  onDone(said?: string): void
}

/** The form of a wait, a comment, and the two buttons; `a` and `r` focus them, Enter decides. */
export function AnswerForm({ wait, onLate, onDone }: AnswerFormProps) {
  const form = formOf(wait)
  const [entries, setEntries] = useState<Entries>(() => startEntries(form))
  const [comment, setComment] = useState('')
  const [edited, setEdited] = useState<string | null>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const approve = useRef<HTMLButtonElement>(null)
  const reject = useRef<HTMLButtonElement>(null)
  useShortcut('a', 'Approve: Enter decides', () => approve.current?.focus())
  useShortcut('r', 'Reject: Enter decides', () => reject.current?.focus())
  const answer = useAnswer(wait, { onLate, onDone, onProblems: setProblems })
  const decide = (decision: WaitAnswerInput['decision']) => {
    const draft: AnswerDraft = { decision, entries, comment, edited }
    const read = readAnswer(wait, form, draft)
    if ('problems' in read) return setProblems(read.problems)
    setProblems({})
    answer.mutate(read.body)
  }
  return (
    <div className="flex flex-col gap-4 border-line border-t pt-5">
      {Object.entries(form.properties ?? {}).map(([id, schema]) => (
        <InputField
          key={id}
          id={id}
          schema={schema}
          isRequired={form.required?.includes(id) ?? false}
          entry={entries[id]}
          problem={problems[id]}
          onChange={(entry) => setEntries((before) => ({ ...before, [id]: entry }))}
        />
      ))}
      {wait.mayEdit && (
        <EditedValue
          value={wait.value}
          text={edited}
          problem={problems.value}
          onChange={setEdited}
        />
      )}
      <Field label="Comment" note="optional" problem={problems.comment}>
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            maxLength={2000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <Outcome error={answer.error} onNext={() => onDone()} />
      <div className="flex flex-wrap gap-3">
        <Button
          ref={approve}
          variant="primary"
          icon={<Check size={16} aria-hidden />}
          busy={answer.isPending && answer.variables?.decision === 'approve'}
          onClick={() => decide('approve')}
        >
          Approve
        </Button>
        <Button
          ref={reject}
          icon={<X size={16} aria-hidden />}
          busy={answer.isPending && answer.variables?.decision === 'reject'}
          onClick={() => decide('reject')}
        >
          Reject
        </Button>
      </div>
    </div>
  )
}

type Hooks = Omit<AnswerFormProps, 'wait'> & {
  onProblems(problems: Readonly<Record<string, string>>): void
}

function useAnswer({ runId, waitId }: Wait, { onLate, onDone, onProblems }: Hooks) {
  const client = useQueryClient()
  const reread = () => {
    void client.invalidateQueries({ queryKey: ['waits'] })
    void client.invalidateQueries({ queryKey: ['wait', runId, waitId] })
    void client.invalidateQueries({ queryKey: ['run view', runId] })
  }
  return useMutation({
    mutationFn: (body: WaitAnswerInput) =>
      consoleCall('POST /runs/{runId}/waits/{waitId}', { params: { runId, waitId }, body }),
    onSuccess: ({ answer }) => {
      const said = `You ${verbOf(answer)} this`
      announce(`${said}.`)
      toast(said, undefined, runId)
      reread()
      onDone(said)
    },
    onError: (error) => {
      const failure = toApiFailure(error)
      if (lateText(failure)) {
        onLate()
        reread()
      }
      const found = failure.issues.flatMap(({ path, message }) => {
        const [, part = '', field = ''] = path.split('/')
        const name = part === 'response' ? field : part
        return name ? [[name, message] as const] : []
      })
      onProblems(Object.fromEntries(found))
    },
  })
}

function Outcome({ error, onNext }: { error: Error | null; onNext(): void }) {
  if (!error) return null
  const failure = toApiFailure(error)
  const late = lateText(failure)
  if (!late) return <Failure failure={failure} />
  const next = (
    <Button size="small" onClick={onNext}>
      Next
    </Button>
  )
  return <Banner tone="warn" role="alert" title={late} actions={next} />
}

type EditedValueProps = {
  value: unknown
  /** Null until something was changed. */
  text: string | null
  problem: string | undefined
  onChange(text: string | null): void
}

/** What is passed on in place of the value: text as text, anything else as JSON. */
function EditedValue({ value, text, problem, onChange }: EditedValueProps) {
  if (typeof value === 'string') {
    return (
      <Field label="Value to pass on" problem={problem}>
        {(control) => (
          <TextArea
            {...control}
            value={text ?? value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
    )
  }
  const shown = text ?? JSON.stringify(value, null, 2)
  const read = readJson(shown)
  const wrong = problem ?? (read && 'problem' in read ? read.problem : undefined)
  return (
    <section aria-label="Value to pass on" className="flex min-w-0 flex-col gap-1">
      <span className="font-semibold text-sm">Value to pass on</span>
      <Suspense fallback={<Skeleton className="h-20 w-full" />}>
        <JsonInput label="Value to pass on" text={shown} onChange={onChange} />
      </Suspense>
      {wrong && (
        <p role="alert" className="text-bad text-sm">
          {wrong}
        </p>
      )}
    </section>
  )
}
