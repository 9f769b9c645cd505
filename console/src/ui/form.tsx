import type { ReactNode } from 'react'

type FormProps = {
  /** Lets a button outside the form, such as one in a dialog's footer, submit it. */
  id: string
  onSubmit(): void
  children: ReactNode
}

/** Fields in a column. Problems are shown at the fields, never by the browser. */
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
