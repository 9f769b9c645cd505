import { useRef } from 'react'
import type { NewApiKey } from '#console/api/types.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Dialog } from '#console/ui/dialog.tsx'

/** The one time the key is seen: no stray click and no Escape closes this. */
export function ShownKeyDialog({ made, onClose }: { made: NewApiKey; onClose(): void }) {
  const done = useRef<HTMLButtonElement>(null)
  const example = `curl ${location.origin}/api/ai-tools/v1/models \\
  -H "Authorization: Bearer $ATELIER_API_KEY"`
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={false}
      initialFocus={done}
      size="medium"
      title={`“${made.name}” is ready`}
      footer={
        <Button ref={done} variant="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Banner tone="warn" title="This is the only time you see it">
          Put it where your program reads its secrets. We keep a fingerprint, not the key.
        </Banner>
        <Code label="the key" text={made.key} wrap />
        <p className="text-sm">Try it:</p>
        <Code label="an example" text={`export ATELIER_API_KEY=${made.key}\n${example}`} wrap />
      </div>
    </Dialog>
  )
}
