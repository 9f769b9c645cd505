import type { ReactNode } from 'react'

type FormProps = {
  /** A button outside the form, as in the foot of a dialog, submits it by this id. */
  id: string
  onSubmit(): void
  children: ReactNode
}

/** Fields below each other. Problems are shown at the fields, never by the browser. */
export function Form({ id, onSubmit, children }: FormProps) {
  return (
    <form
      id={id}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}
