import { type ReactNode, useRef } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type ShownOnceDialogProps = {
  title: string
  /** The label of the closing button, such as "I have saved it". */
  done: string
  size?: 'small' | 'medium'
  onClose(): void
  children: ReactNode
}

/** Shows a secret this one time: neither a stray click nor Escape closes the dialog. */
export function ShownOnceDialog(props: ShownOnceDialogProps) {
  const { title, done, size = 'small', onClose, children } = props
  const button = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={false}
      initialFocus={button}
      size={size}
      title={title}
      footer={
        <Button ref={button} variant="primary" onClick={onClose}>
          {done}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">{children}</div>
    </Dialog>
  )
}
