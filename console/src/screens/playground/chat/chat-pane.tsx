import { useNavigate } from '@tanstack/react-router'
import { ArrowDown } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import type { Model } from '#console/api/types.ts'
import { cx } from '#console/lib/cx.ts'
import { useFollowEnd } from '#console/lib/use-follow-end.ts'
import { takesPicture } from '#console/screens/playground/creative.ts'
import { Button } from '#console/ui/button.tsx'
import { branchConversation } from './branch.ts'
import { ChatComposer } from './chat-composer.tsx'
import { settingsProblem } from './chat-request.ts'
import { ChatTurns } from './chat-turns.tsx'
import { answering, chats } from './chats.ts'
import { SettingsButton } from './settings-button.tsx'
import type { Answer, Side } from './turn-tree.ts'
import { type Attachments, useAttachments } from './use-attachments.ts'
import type { OpenConversation } from './use-conversation.ts'

type ChatPaneProps = {
  open: OpenConversation
  /** One model, or two whose answers stand beside each other. */
  shown: readonly Model[]
  /** The settings, if they have no column of their own. */
  settingsFields: ReactNode
}

/** The turns, which scroll, and below them the composer, which stays. */
export function ChatPane({ open, shown, settingsFields }: ChatPaneProps) {
  const { setTyped } = open
  const { scroller, content, isFollowing, follow } = useFollowEnd()
  const mayAddPictures = shown.every(takesPicture)
  const attachments = useAttachments({
    names: shown.map(({ name }) => name),
    isAllowed: mayAddPictures,
    onAdded: (urls) => setTyped((now) => ({ ...now, images: [...now.images, ...urls] })),
  })
  return (
    <div
      className={cx('flex min-w-0 grow flex-col', attachments.isOver && 'bg-sunken')}
      {...attachments.dropProps}
    >
      <section
        {...scroller}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto px-4 pt-4 md:px-6"
      >
        <Columns ref={content} open={open} shown={shown} />
      </section>
      <div className="sticky bottom-0 shrink-0 bg-paper px-4 pb-3 max-md:bottom-16 md:px-6">
        <div className="relative mx-auto max-w-read">
          {!isFollowing && (
            <Button
              size="small"
              icon={<ArrowDown size={14} aria-hidden />}
              className="-top-10 -translate-x-1/2 absolute left-1/2 shadow-float"
              onClick={follow}
            >
              Newest
            </Button>
          )}
          <Composer
            {...{ open, shown, mayAddPictures, attachments }}
            settings={
              settingsFields && (
                <SettingsButton label={shown.map(({ name }) => name).join(' and ')}>
                  {settingsFields}
                </SettingsButton>
              )
            }
            onAsked={follow}
          />
        </div>
      </div>
    </div>
  )
}

type ColumnsProps = { ref: Ref<HTMLDivElement>; open: OpenConversation; shown: readonly Model[] }

function Columns({ ref, open, shown }: ColumnsProps) {
  const isComparing = shown.length > 1
  const navigate = useNavigate()
  const branch = async (turn: Answer) => {
    const conversation = await branchConversation(open.turns, turn)
    await navigate({ to: '/playground/chat', search: { conversation } })
  }
  return (
    <div
      ref={ref}
      className={cx('mx-auto pb-4', isComparing ? 'grid gap-6 md:grid-cols-2' : 'max-w-read')}
    >
      {columnsOf(shown).map(({ model, side }) => (
        <section key={side} aria-label={model.name} className="mx-auto w-full min-w-0 max-w-read">
          {isComparing && <h2 className="mb-3 font-semibold">{model.name}</h2>}
          <ChatTurns
            {...{ open, side }}
            model={model.id}
            onEdit={({ text, images }, replaces) => open.setTyped({ text, images, replaces })}
            onBranch={(turn) => void branch(turn)}
          />
        </section>
      ))}
    </div>
  )
}

const sides: readonly Side[] = ['left', 'right']
const columnsOf = (shown: readonly Model[]) =>
  shown.map((model, index) => ({ model, side: sides[index] ?? 'left' }))

type ComposerProps = {
  open: OpenConversation
  shown: readonly Model[]
  mayAddPictures: boolean
  attachments: Attachments
  settings: ReactNode
  onAsked(): void
}

function Composer({ open, shown, mayAddPictures, attachments, settings, onAsked }: ComposerProps) {
  const { typed, setTyped, paths } = open
  const isKept = chats.use((state) => state.isKept)
  const columns = columnsOf(shown)
  const arriving = columns.flatMap(({ side }) =>
    paths[side].filter(({ id }) => open.arriving.has(id)),
  )
  const ask = () => {
    const asked = mayAddPictures ? typed : { ...typed, images: [] }
    open.ask(
      asked,
      columns.map(({ side, model }) => ({ side, model: model.id })),
    )
    onAsked()
  }
  const stop = () => {
    for (const { id } of arriving) answering.stop(id)
  }
  return (
    <ChatComposer
      {...{ typed, attachments, mayAddPictures, settings }}
      onChange={setTyped}
      askLabel={shown.length > 1 ? 'Ask both' : 'Ask'}
      problem={settingsProblem(open.settings)}
      isAnswering={arriving.length > 0}
      onStop={stop}
      onAsk={ask}
      note={
        isKept
          ? 'Kept in this browser.'
          : 'This browser keeps nothing: a reload loses this conversation.'
      }
    />
  )
}
