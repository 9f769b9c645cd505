import { useRef } from 'react'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Dialog } from '#console/ui/dialog.tsx'

export type ShownLink = { link: string; title: string; text: string }

/** The one time the link is seen: no stray click and no Escape closes this. */
export function ShownLinkDialog({ shown, onClose }: { shown: ShownLink; onClose(): void }) {
  const done = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={false}
      initialFocus={done}
      size="medium"
      title={shown.title}
      footer={
        <Button ref={done} variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Banner tone="warn" title="This is the only time you see it">
          {shown.text} Whoever has it can use it.
        </Banner>
        <Code label="the link" text={shown.link} wrap />
      </div>
    </Dialog>
  )
}
