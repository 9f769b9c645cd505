import { Banner } from '#console/ui/banner.tsx'
import { Code } from '#console/ui/code.tsx'
import { ShownOnceDialog } from '#console/ui/shown-once-dialog.tsx'

export type ShownLink = { link: string; title: string; text: string }

export function ShownLinkDialog({ shown, onClose }: { shown: ShownLink; onClose(): void }) {
  return (
    <ShownOnceDialog title={shown.title} done="I have copied it" size="medium" onClose={onClose}>
      <Banner tone="warn" title="This is the only time you will see it">
        {shown.text} Anyone who has this link can use it.
      </Banner>
      <Code label="the link" text={shown.link} wrap />
    </ShownOnceDialog>
  )
}
