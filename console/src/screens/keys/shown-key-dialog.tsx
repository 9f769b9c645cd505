import type { NewApiKey } from '#console/api/types.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Code } from '#console/ui/code.tsx'
import { ShownOnceDialog } from '#console/ui/shown-once-dialog.tsx'

export function ShownKeyDialog({ made, onClose }: { made: NewApiKey; onClose(): void }) {
  const example = `curl ${location.origin}/api/ai-tools/v1/models \\
  -H "Authorization: Bearer $ATELIER_API_KEY"`
  return (
    <ShownOnceDialog
      title={`“${made.name}” is ready`}
      done="I have saved it"
      size="medium"
      onClose={onClose}
    >
      <Banner tone="warn" title="This is the only time you will see it">
        Put it where your program reads its secrets. The server stores a fingerprint, not the key.
      </Banner>
      <Code label="the key" text={made.key} wrap />
      <p className="text-sm">Try it:</p>
      <Code label="an example" text={`export ATELIER_API_KEY=${made.key}\n${example}`} wrap />
    </ShownOnceDialog>
  )
}
