import { Code2 } from 'lucide-react'
import { useState } from 'react'
import { announce } from '#console/lib/announce.ts'
import { copyText } from '#console/lib/clipboard.ts'
import { Button } from '#console/ui/button.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { LazyMenu } from '#console/ui/lazy-menu.tsx'
import { toast } from '#console/ui/toasts.ts'
import { CodeDialog } from './code-dialog.tsx'

type CodeMenuProps = {
  curl: string
  client: string
  clientName: string
  /** `icon` where there is no room for words. */
  form?: 'button' | 'icon'
}

const icon = <Code2 size={16} aria-hidden />

/** Copies the same request as a command or as code. */
export function CodeMenu({ curl, client, clientName, form = 'button' }: CodeMenuProps) {
  const [shown, setShown] = useState<{ text: string; name: string } | null>(null)
  const copy = async (text: string, name: string) => {
    if (!(await copyText(text))) return setShown({ text, name })
    announce(`Copied as ${name}`)
    toast(`Copied as ${name}`)
  }
  return (
    <>
      <LazyMenu
        trigger={
          form === 'icon' ? (
            <IconButton label="Copy as code" icon={icon} />
          ) : (
            <Button icon={icon}>Copy as code</Button>
          )
        }
        items={[
          { label: 'Copy as curl', onSelect: () => void copy(curl, 'curl') },
          { label: `Copy as ${clientName}`, onSelect: () => void copy(client, clientName) },
        ]}
      />
      {shown && <CodeDialog {...shown} onClose={() => setShown(null)} />}
    </>
  )
}
