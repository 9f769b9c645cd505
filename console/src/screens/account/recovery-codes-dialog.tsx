import { Banner } from '#console/ui/banner.tsx'
import { Code } from '#console/ui/code.tsx'
import { ShownOnceDialog } from '#console/ui/shown-once-dialog.tsx'

type RecoveryCodesDialogProps = { codes: readonly string[]; onClose(): void }

export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  return (
    <ShownOnceDialog title="Your recovery codes" done="I have saved them" onClose={onClose}>
      <Banner tone="warn" title="This is the only time you will see them">
        Each lets you sign in once without your phone. Print them, or keep them where you keep
        passwords.
      </Banner>
      <Code label="the recovery codes" text={codes.join('\n')} />
    </ShownOnceDialog>
  )
}
