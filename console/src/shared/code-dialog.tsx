import { Code } from '#console/ui/code.tsx'
import { Dialog } from '#console/ui/dialog.tsx'

type CodeDialogProps = { text: string; name: string; title?: string; onClose(): void }

/** Code to be copied by hand, where a browser forbids a page the clipboard, as it does over http. */
export const CodeDialog = ({ text, name, title = `Copy as ${name}`, onClose }: CodeDialogProps) => (
  <Dialog
    open
    onClose={onClose}
    title={title}
    description="ATELIER_API_KEY is one of your API keys."
    size="medium"
  >
    <Code text={text} label={name} wrap className="max-h-96 overflow-y-auto" />
  </Dialog>
)
