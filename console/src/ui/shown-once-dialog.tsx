import { type ReactNode, useRef } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type ShownOnceDialogProps = {
  title: string
  /** What the person says when they leave, such as "I have saved it". */
  done: string
  size?: 'small' | 'medium'
  onClose(): void
  children: ReactNode
}

/** A secret that is seen this one time: no stray click and no Escape closes it. */
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
