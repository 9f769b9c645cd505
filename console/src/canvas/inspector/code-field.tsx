import { useEffect, useId, useRef, useState } from 'react'
import { useSessionOf } from '#console/canvas/context.ts'
import { focusGraph } from '#console/canvas/graph-element.ts'
import { type Language, openEditor } from '#console/ui/code-editor.ts'
import { editorText } from '#console/ui/editor-text.ts'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { namesIn } from './last-run.ts'
import { inputOf, type TryOutcome, tryCode } from './try-code.ts'

export type CodeFieldProps = {
  label: string
  language: Language
  /** Text for templates and expressions, any value for JSON. */
  value: unknown
  onChange(value: unknown): void
  hint: string | undefined
  problem: string | null
  /** Names to complete: ports, or members of the last run's values. */
  names: readonly string[]
  /** The values that this node received in the last run, by port; null if there are none. */
  tryOn: Readonly<Record<string, unknown>> | null
  /** The person has just opened it, so typing should go here. */
  takesFocus?: boolean
}

const textOf = (language: Language, value: unknown): string =>
  language !== 'json' && (typeof value === 'string' || value === undefined)
    ? (value ?? '')
    : value === undefined
      ? ''
      : JSON.stringify(value, null, 2)

/** A small editor. Invalid JSON stays here and is not passed on. */
export default function CodeField(props: CodeFieldProps) {
  const { label, language, value, onChange, hint, problem, names, tryOn } = props
  const { takesFocus = false } = props
  const id = useId()
  const { isReadOnly, say } = useSessionOf()
  const host = useRef<HTMLDivElement>(null)
  const [unreadable, setUnreadable] = useState<string | null>(null)
  // An expression starts from the input's members; a template names its ports.
  const known = language === 'jsonata' ? namesIn(inputOf(tryOn ?? {})) : names
  const latest = useRef({ onChange, known })
  latest.current = { onChange, known }
  const editor = useRef<ReturnType<typeof openEditor> | null>(null)
  const text = textOf(language, value)

  useEffect(() => {
    if (!host.current) return
    const opened = openEditor(host.current, {
      label,
      language,
      isReadOnly,
      text: editor.current?.text() ?? '',
      names: () => latest.current.known,
      // It is stored while it is typed. The key leads back to the node, and never starts a run.
      onAccept() {
        focusGraph()
        say(`${label} applied`)
      },
      onChange(next) {
        if (language !== 'json') return latest.current.onChange(next)
        try {
          const parsed = next.trim() === '' ? undefined : JSON.parse(next)
          setUnreadable(null)
          latest.current.onChange(parsed)
        } catch (error) {
          setUnreadable(error instanceof Error ? error.message : 'This is not valid JSON.')
        }
      },
    })
    editor.current = opened
    if (takesFocus) editorText(host.current)?.focus()
    return () => opened.close()
  }, [label, language, takesFocus, isReadOnly, say])

  useEffect(() => {
    // Undo, for example, changes the value from outside; invalid JSON being typed is left alone.
    if (unreadable === null) editor.current?.show(text)
  }, [text, unreadable])

  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-baseline justify-between">
        <span className="font-semibold text-sm">{label}</span>
        <span className="text-soft text-xs">{languageName[language]}</span>
      </div>
      <div
        ref={host}
        data-editor
        className="overflow-hidden rounded-sm border border-control bg-card focus-within:outline-2 focus-within:outline-accent"
      />
      {hint && <p className="text-soft text-xs">{hint}</p>}
      {(unreadable ?? problem) && <FieldProblem id={id} text={unreadable ?? problem ?? ''} />}
      {language !== 'json' && <TryIt language={language} text={text} tryOn={tryOn} />}
    </div>
  )
}

const languageName = { template: 'template', jsonata: 'JSONata', json: 'JSON' }

/** A pause in typing: an expression is seldom whole before. */
const tryAfterMs = 250

type TryItProps = { language: 'template' | 'jsonata'; text: string; tryOn: CodeFieldProps['tryOn'] }

function TryIt({ language, text, tryOn }: TryItProps) {
  const [outcome, setOutcome] = useState<TryOutcome | null>(null)
  const given = JSON.stringify(tryOn)
  useEffect(() => {
    if (given === 'null') return
    let isOld = false
    const timer = setTimeout(async () => {
      const next = await tryCode(language, text, JSON.parse(given))
      if (!isOld) setOutcome(next)
    }, tryAfterMs)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [language, text, given])
  if (!tryOn) {
    return <p className="text-soft text-xs">After a run its result is shown here while you type.</p>
  }
  return (
    <div className="flex flex-col gap-1">
      <p className="text-soft text-xs">Result with the values of the run</p>
      {outcome && (
        <pre
          role="status"
          aria-label="Result"
          className={`max-h-48 w-full overflow-auto whitespace-pre-wrap rounded-sm bg-sunken p-2 text-xs ${outcome.ok ? '' : 'text-bad'}`}
        >
          {outcome.text}
        </pre>
      )}
    </div>
  )
}
