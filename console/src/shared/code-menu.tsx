import { Code2 } from 'lucide-react'
import { announce } from '#console/lib/announce.ts'
import { copyText } from '#console/lib/clipboard.ts'
import { Button } from '#console/ui/button.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { LazyMenu } from '#console/ui/lazy-menu.tsx'
import { toast } from '#console/ui/toasts.ts'

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
  const copy = async (text: string, name: string) => {
    const done = await copyText(text)
    const words = done ? `Copied as ${name}` : 'The browser does not allow copying here'
    announce(words)
    toast(words)
  }
  return (
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
  )
}
