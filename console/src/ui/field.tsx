import { type ReactNode, useId } from 'react'
import { FieldProblem } from './field-problem.tsx'

/** Connects a control with its label, hint and problem. */
export type ControlProps = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

type FieldProps = {
  label: string
  /** In soft text after the label: "optional", a unit, a count. */
  note?: ReactNode
  hint?: ReactNode
  /** What is wrong, shown at the field. */
  problem?: string | null | undefined
  children: (control: ControlProps) => ReactNode
}

export function Field({ label, note, hint, problem, children }: FieldProps) {
  const id = useId()
  const describedBy = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : '']
    .filter(Boolean)
    .join(' ')
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-baseline justify-between gap-2">
        <label htmlFor={id} className="font-semibold text-sm">
          {label}
        </label>
        {note && <span className="text-soft text-xs">{note}</span>}
      </div>
      {children({
        id,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-soft text-xs">
          {hint}
        </p>
      )}
      {problem && <FieldProblem id={`${id}-problem`} text={problem} />}
    </div>
  )
}
