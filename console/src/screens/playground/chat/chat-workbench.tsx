import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Model } from '#console/api/types.ts'
import { cx } from '#console/lib/cx.ts'
import { newId } from '#console/lib/ids.ts'
import { useKept } from '#console/lib/use-kept.ts'
import { useMedia } from '#console/lib/use-media.ts'
import { chatCode } from '#console/screens/playground/as-code.ts'
import { chosenModel } from '#console/screens/playground/use-models.ts'
import { CodeMenu } from '#console/shared/code-menu.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { ChatHeader, type Panels } from './chat-header.tsx'
import { ChatPane } from './chat-pane.tsx'
import { chatBody } from './chat-request.ts'
import { ConversationList } from './conversation-list.tsx'
import { type OpenConversation, useConversation } from './use-conversation.ts'

// The fields are a quarter of the screen's script, and the conversation can be read without them.
const ChatSettingsFields = lazy(async () => ({
  default: (await import('./chat-settings.tsx')).ChatSettingsFields,
}))

type ChatWorkbenchProps = { models: readonly Model[]; owner: string; conversationId: string }

/** Conversations, the open one, and its settings: beside each other where there is room. */
export function ChatWorkbench({ models, owner, conversationId }: ChatWorkbenchProps) {
  const open = useConversation(owner, conversationId)
  const { settings, setSettings } = open
  const isWide = useMedia('(min-width: 1440px)')
  const [panels, setPanels] = useKept<Panels>(`${owner}.panels`, { list: true, settings: true })
  const [isListOpen, setListOpen] = useState(false)
  const navigate = useNavigate()
  const start = () => {
    setListOpen(false)
    void navigate({ to: '/playground/chat', search: { conversation: newId() } })
  }
  const first = chosenModel(models, settings.model)
  const second = settings.beside ? models.find(({ id }) => id === settings.beside) : undefined
  if (!first) return null
  const fields = (
    <Suspense fallback={<Skeleton className="h-80" />}>
      <ChatSettingsFields {...{ models, first, second, settings }} onChange={setSettings} />
    </Suspense>
  )
  const list = (
    <ConversationList conversationId={conversationId} onOpen={() => setListOpen(false)} />
  )
  const isSettingsBeside = isWide && panels.settings
  return (
    <div className="flex h-[calc(100dvh-48px)] min-h-96 flex-col max-md:h-[calc(100dvh-112px)]">
      <ChatHeader
        {...{ conversationId, panels, isWide }}
        onPanels={(next) => (isWide ? setPanels(next) : setListOpen(true))}
        onStart={start}
      >
        <CodeMenu
          {...chatCode(location.origin, bodyOf(open, first.id, conversationId))}
          clientName="OpenAI's client"
          form="icon"
        />
      </ChatHeader>
      <div className="mx-auto flex min-h-0 w-full max-w-page grow">
        {isWide && panels.list && (
          <Aside label="Conversations" className="w-60 border-r p-3">
            {list}
          </Aside>
        )}
        <ChatPane
          open={open}
          shown={second ? [first, second] : [first]}
          settingsFields={isSettingsBeside ? null : fields}
        />
        {isSettingsBeside && (
          <Aside label="Settings" className="flex w-70 flex-col gap-4 border-l p-4">
            {fields}
          </Aside>
        )}
      </div>
      <Dialog
        open={isListOpen && !isWide}
        onClose={() => setListOpen(false)}
        title="Conversations"
        footer={<Button onClick={start}>New chat</Button>}
      >
        {list}
      </Dialog>
    </div>
  )
}

type AsideProps = { label: string; className: string; children: ReactNode }

const Aside = ({ label, className, children }: AsideProps) => (
  <aside aria-label={label} className={cx('shrink-0 overflow-y-auto border-line', className)}>
    {children}
  </aside>
)

/** The request that asking now would send. */
function bodyOf(
  { typed, paths, settings }: OpenConversation,
  model: string,
  conversationId: string,
) {
  const question = typed.text.trim() ? [questionOf(typed.text, conversationId)] : []
  return chatBody(model, [...paths.left, ...question], settings)
}

const questionOf = (text: string, conversationId: string) => ({
  ...{ id: '', conversationId, side: 'left' as const, parentId: null, atMs: 0 },
  ...{ role: 'user' as const, text, images: [] },
})
