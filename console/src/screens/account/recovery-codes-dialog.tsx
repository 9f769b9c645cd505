import { useRef } from 'react'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Dialog } from '#console/ui/dialog.tsx'

type RecoveryCodesDialogProps = { codes: readonly string[]; onClose(): void }

/** The one time they are seen: no stray click and no Escape closes this. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const done = useRef<HTMLButtonElement>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={false}
      initialFocus={done}
      title="Your recovery codes"
      footer={
        <Button ref={done} variant="primary" onClick={onClose}>
          I have saved them
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Banner tone="warn" title="This is the only time you see them">
          Each lets you sign in once without your phone. Print them, or keep them where you keep
          passwords.
        </Banner>
        <Code label="the recovery codes" text={codes.join('\n')} />
      </div>
    </Dialog>
  )
}
