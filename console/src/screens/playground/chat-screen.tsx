import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '#console/api/session.ts'
import type { Model } from '#console/api/types.ts'
import { CodeMenu } from '#console/shared/code-menu.tsx'
import { Banner } from '#console/ui/banner.tsx'
import { Card } from '#console/ui/card.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { chatCode } from './as-code.ts'
import { ChatComposer, type Question } from './chat-composer.tsx'
import { ChatModels } from './chat-models.tsx'
import { ChatSettingsFields } from './chat-settings.tsx'
import { ChatTurns } from './chat-turns.tsx'
import { type ChatSettings, chatBody, type Turn } from './conversation.ts'
import { takesPicture } from './creative.ts'
import { PlaygroundTabs } from './playground-tabs.tsx'
import { type Chat, useChat } from './use-chat.ts'
import { chosenModel, useModels } from './use-models.ts'

const route = getRouteApi('/framed/playground/chat')

export function ChatScreen() {
  const models = useModels(['TEXT', 'CODE'])
  const accountId = useSession().data?.session?.account.id
  return (
    <Page title="Chat">
      <PlaygroundTabs />
      <Loadable
        query={models}
        skeleton={<Skeleton className="h-96 rounded-md" />}
        isEmpty={(data) => data.length === 0}
        empty={<Banner tone="warn" title="No text model is available" />}
      >
        {(data) => accountId && <Workbench models={data} accountId={accountId} />}
      </Loadable>
    </Page>
  )
}

const noSettings: ChatSettings = { system: '', temperature: null, maxTokens: null }

function Workbench({ models, accountId }: { models: readonly Model[]; accountId: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [settings, setSettings] = useState(noSettings)
  const [question, setQuestion] = useState<Question>({
    text: search.prompt ?? '',
    image: search.image ?? null,
    replaces: null,
  })
  const first = chosenModel(models, search.model)
  const second = search.beside ? models.find(({ id }) => id === search.beside) : undefined
  const left = useChat(first?.id ?? '', settings, { accountId, slot: 'left' })
  const right = useChat(second?.id ?? '', settings, { accountId, slot: 'right' })
  if (!first) return null
  const shown: Shown[] = [
    { model: first, chat: left },
    ...(second ? [{ model: second, chat: right }] : []),
  ]
  const ask = ({ text, image, replaces }: Question) => {
    for (const { chat } of shown)
      chat.ask(replaces === null ? chat.turns : chat.turns.slice(0, replaces), {
        text,
        ...(image ? { images: [image] } : {}),
      })
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,18rem)_minmax(0,1fr)]">
      <Card>
        <div className="flex flex-col gap-4">
          <ChatModels
            models={models}
            first={first}
            second={second}
            onChange={(next) => void navigate({ search: { ...search, ...next }, replace: true })}
          />
          <ChatSettingsFields
            models={shown.map(({ model }) => model)}
            settings={settings}
            onChange={setSettings}
          />
          <CodeMenu
            {...chatCode(
              location.origin,
              chatBody(first.id, withQuestion(left.turns, question.text), settings),
            )}
            clientName="OpenAI's client"
          />
        </div>
      </Card>
      <div className="flex min-w-0 flex-col gap-4 max-lg:order-first">
        <Conversations
          shown={shown}
          onEdit={(turn, replaces) =>
            setQuestion({ text: turn.text, image: turn.images?.[0] ?? null, replaces })
          }
        />
        <ChatComposer
          question={question}
          onChange={setQuestion}
          onAsk={ask}
          chats={shown.map(({ chat }) => chat)}
          mayAddPicture={shown.every(({ model }) => takesPicture(model))}
        />
      </div>
    </div>
  )
}

type Shown = { model: Model; chat: Chat }
type ConversationsProps = {
  shown: readonly Shown[]
  /** In both columns the same question is at the same position, which identifies it. */
  onEdit(turn: Turn, position: number): void
}

const Conversations = ({ shown, onEdit }: ConversationsProps) => (
  <div className={shown.length > 1 ? 'grid gap-6 md:grid-cols-2' : 'max-w-read'}>
    {shown.map(({ model, chat }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the left one and the right one
      <section key={index} aria-label={model.name} className="min-w-0">
        {shown.length > 1 && <h2 className="mb-3 font-semibold">{model.name}</h2>}
        {chat.turns.length === 0 ? (
          <p className="text-soft">Ask something. Answers appear as they are written.</p>
        ) : (
          <ChatTurns turns={chat.turns} onEdit={(turn) => onEdit(turn, chat.turns.indexOf(turn))} />
        )}
      </section>
    ))}
  </div>
)

const withQuestion = (turns: readonly Turn[], text: string): Turn[] =>
  text.trim() === '' ? [...turns] : [...turns, { id: '', role: 'user', text }]
