import { Eraser, Square } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { MediaField } from '#console/shared/media-field.tsx'
import { Button } from '#console/ui/button.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import type { Chat } from './use-chat.ts'

export type Question = {
  text: string
  image: string | null
  /** Position of the earlier question that this one replaces. */
  replaces: number | null
}

type ChatComposerProps = {
  question: Question
  onChange(question: Question): void
  onAsk(question: Question): void
  chats: readonly Chat[]
  mayAddPicture: boolean
}

export function ChatComposer(props: ChatComposerProps) {
  const { question, onChange, onAsk, chats, mayAddPicture } = props
  const isAnswering = chats.some((chat) => chat.isAnswering)
  const canAsk = question.text.trim() !== '' && !isAnswering
  const ask = () => {
    if (!canAsk) return
    onAsk(mayAddPicture ? question : { ...question, image: null })
    onChange({ text: '', image: null, replaces: null })
  }
  useShortcut('Mod+Enter', 'Ask', ask)
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      {question.replaces !== null && (
        <p className="flex items-center gap-2 text-sm text-warn">
          What came after this question will be replaced.
          <Button
            variant="quiet"
            size="small"
            onClick={() => onChange({ ...question, replaces: null })}
          >
            Keep it
          </Button>
        </p>
      )}
      <TextArea
        aria-label="Your message"
        className="min-h-20"
        value={question.text}
        placeholder="What is 12% of 250?"
        onChange={({ target }) => onChange({ ...question, text: target.value })}
        onKeyDown={(event) => {
          if (!sends(event)) return
          event.preventDefault()
          ask()
        }}
      />
      {mayAddPicture && (
        <details>
          <summary className="cursor-pointer text-soft text-sm">Add a picture</summary>
          <div className="pt-2">
            <MediaField
              label="Picture"
              kind="image"
              value={question.image}
              onChange={(image) => onChange({ ...question, image })}
            />
          </div>
        </details>
      )}
      <Buttons chats={chats} isAnswering={isAnswering} canAsk={canAsk} />
    </form>
  )
}

/** Touch keyboards have no handy Shift+Enter, and Enter may confirm a word of an input method. */
const sends = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' &&
  !shiftKey &&
  !nativeEvent.isComposing &&
  !window.matchMedia('(pointer: coarse)').matches

type ButtonsProps = { chats: readonly Chat[]; isAnswering: boolean; canAsk: boolean }

function Buttons({ chats, isAnswering, canAsk }: ButtonsProps) {
  const forEach = (act: (chat: Chat) => void) => () => {
    for (const chat of chats) act(chat)
  }
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <p className="mr-auto text-soft text-xs pointer-coarse:hidden">
        Enter sends, Shift+Enter starts a new line.
      </p>
      {!isAnswering && chats.some(({ turns }) => turns.length > 0) && (
        <Button
          variant="quiet"
          icon={<Eraser size={16} aria-hidden />}
          onClick={forEach((chat) => chat.clear())}
        >
          Clear
        </Button>
      )}
      {isAnswering ? (
        <Button icon={<Square size={14} aria-hidden />} onClick={forEach((chat) => chat.stop())}>
          Stop
        </Button>
      ) : (
        <Button type="submit" variant="primary" disabled={!canAsk}>
          {chats.length > 1 ? 'Ask both' : 'Ask'}
        </Button>
      )}
    </div>
  )
}
