import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { newId } from '#console/lib/ids.ts'
import { locale } from '#console/lib/locale.ts'
import { saveText } from '#console/lib/save-text.ts'
import { relativeTime } from '#console/lib/time.ts'
import { useNow } from '#console/lib/use-now.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { browserChats } from './chat-storage.ts'
import { chats } from './chats.ts'
import { chatAsJson, chatAsMarkdown, fileNameOf } from './export-chat.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { type Conversation, mergeTurns, shownPath } from './turn-tree.ts'

type ConversationListProps = { conversationId: string; onOpen(): void }

/** All conversations in this browser: search, open, name, export, delete. */
export function ConversationList({ conversationId, onOpen }: ConversationListProps) {
  const conversations = chats.use((state) => state.conversations)
  const [words, setWords] = useState('')
  const found = useSearch(words)
  const [renamed, setRenamed] = useState<Conversation | null>(null)
  const [removed, setRemoved] = useState<Conversation | null>(null)
  const navigate = useNavigate()
  const wanted = words.trim().toLowerCase()
  const shown = conversations.filter(
    ({ id, name }) => wanted === '' || name.toLowerCase().includes(wanted) || found.has(id),
  )
  const remove = (conversation: Conversation) => {
    setRemoved(null)
    void chats.remove(conversation)
    if (conversation.id === conversationId)
      void navigate({ to: '/playground/chat', search: { conversation: newId() }, replace: true })
  }
  return (
    <div className="flex flex-col gap-3 p-1">
      <TextInput
        type="search"
        aria-label="Search conversations"
        placeholder="Search"
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      {shown.length === 0 && (
        <p className="px-1 text-soft text-sm">
          {wanted ? `Nothing matches “${words.trim()}”.` : 'No conversations yet.'}
        </p>
      )}
      <ul className="flex flex-col gap-0.5">
        {shown.map((conversation) => (
          <Row
            key={conversation.id}
            conversation={conversation}
            isOpen={conversation.id === conversationId}
            onOpen={onOpen}
            onRename={() => setRenamed(conversation)}
            onRemove={() => setRemoved(conversation)}
          />
        ))}
      </ul>
      {renamed && <RenameDialog conversation={renamed} onClose={() => setRenamed(null)} />}
      {removed && (
        <Dialog
          open
          onClose={() => setRemoved(null)}
          title={`Delete “${removed.name}”?`}
          description="It is kept in this browser only, so it cannot be brought back."
          footer={
            <Button variant="danger" onClick={() => remove(removed)}>
              Delete
            </Button>
          }
        />
      )}
    </div>
  )
}

type RowProps = {
  conversation: Conversation
  isOpen: boolean
  onOpen(): void
  onRename(): void
  onRemove(): void
}

function Row({ conversation, isOpen, onOpen, onRename, onRemove }: RowProps) {
  const { id, name, changedAtMs } = conversation
  const now = useNow(30_000)
  const save = async (kind: 'md' | 'json') => {
    const turns = mergeTurns([], await browserChats.turns(id))
    const text =
      kind === 'json'
        ? chatAsJson(conversation, turns)
        : chatAsMarkdown(conversation, shownPath(turns, 'left', {}))
    const type = kind === 'json' ? 'application/json' : 'text/markdown'
    saveText(text, fileNameOf(conversation, kind), type)
  }
  return (
    <li className={cx('flex items-center rounded-sm hover:bg-sunken', isOpen && 'bg-sunken')}>
      <Link
        to="/playground/chat"
        search={{ conversation: id }}
        aria-current={isOpen ? 'page' : undefined}
        onClick={onOpen}
        className="flex min-w-0 grow flex-col px-2 py-1.5 no-underline"
      >
        <span className={cx('truncate', isOpen && 'font-semibold')}>{name}</span>
        <span className="text-soft text-xs">
          {relativeTime(Math.min(changedAtMs, now), now, locale)}
        </span>
      </Link>
      <RowMenu
        name={name}
        items={[
          { label: 'Rename', onSelect: onRename },
          { label: 'Export as Markdown', onSelect: () => void save('md') },
          { label: 'Export as JSON', onSelect: () => void save('json') },
          { separator: true },
          { label: 'Delete', danger: true, onSelect: onRemove },
        ]}
      />
    </li>
  )
}

const none: ReadonlySet<string> = new Set()

/** Conversations with these words in a question or an answer, soon after typing pauses. */
function useSearch(words: string): ReadonlySet<string> {
  const [found, setFound] = useState(none)
  useEffect(() => {
    const wanted = words.trim()
    if (wanted === '') return setFound(none)
    let isCurrent = true
    const timer = setTimeout(async () => {
      const ids = await chats.search(wanted)
      if (isCurrent) setFound(ids)
    }, 150)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [words])
  return found
}
