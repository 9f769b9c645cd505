import { MessagesSquare, PanelRight, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { PlaygroundTabs } from '#console/screens/playground/playground-tabs.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { usePageHeading } from '#console/ui/use-page-heading.ts'
import { chats } from './chats.ts'

/** Which columns are unfolded, in windows that have room for them. */
export type Panels = { list: boolean; settings: boolean }

type ChatHeaderProps = {
  conversationId: string
  panels: Panels
  isWide: boolean
  onPanels(panels: Panels): void
  onStart(): void
  children: ReactNode
}

export function ChatHeader(props: ChatHeaderProps) {
  const { conversationId, panels, isWide, onPanels, onStart, children } = props
  const name =
    chats.use(({ conversations }) => conversations.find(({ id }) => id === conversationId)?.name) ??
    'New chat'
  const h1 = usePageHeading(name)
  useTrail(name)
  return (
    <header className="flex items-center gap-x-4 border-line border-b px-4 md:px-8">
      <h1 ref={h1} tabIndex={-1} className="sr-only">
        {name}
      </h1>
      <PlaygroundTabs />
      <div className="ml-auto flex items-center gap-1">
        <IconButton
          label="Conversations"
          icon={<MessagesSquare size={16} aria-hidden />}
          {...(isWide ? { 'aria-pressed': panels.list } : {})}
          onClick={() => onPanels({ ...panels, list: !panels.list })}
        />
        <IconButton label="New chat" icon={<Plus size={16} aria-hidden />} onClick={onStart} />
        {isWide && (
          <IconButton
            label="Settings"
            icon={<PanelRight size={16} aria-hidden />}
            aria-pressed={panels.settings}
            onClick={() => onPanels({ ...panels, settings: !panels.settings })}
          />
        )}
        {children}
      </div>
    </header>
  )
}
