import { ImagePlus, Square, X } from 'lucide-react'
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { mediaPath } from '#console/lib/media-path.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { Button } from '#console/ui/button.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Popover } from '#console/ui/popover.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import type { Attachments } from './use-attachments.ts'
import type { Typed } from './use-conversation.ts'

const MediaField = lazy(async () => ({
  default: (await import('#console/shared/media-field.tsx')).MediaField,
}))

type ChatComposerProps = {
  typed: Typed
  onChange(typed: Typed): void
  onAsk(): void
  onStop(): void
  askLabel: string
  isAnswering: boolean
  mayAddPictures: boolean
  attachments: Attachments
  /** Why it cannot be sent. */
  problem: string | null
  settings: ReactNode
  note: string
}

export function ChatComposer(props: ChatComposerProps) {
  const { typed, onChange, onAsk, isAnswering, attachments, problem, mayAddPictures } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const hasContent = typed.text.trim() !== '' || (mayAddPictures && typed.images.length > 0)
  const canAsk = hasContent && !isAnswering && !attachments.isUploading && problem === null
  const ask = () => canAsk && onAsk()
  useShortcut('Mod+Enter', 'Ask', ask)
  useEffect(() => {
    if (typed.replaces !== null) field.current?.focus()
  }, [typed.replaces])
  const shownProblem = attachments.problem ?? (hasContent ? problem : null)
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      {typed.replaces !== null && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          Another version of this question. The old one stays beside it.
          <Button
            variant="quiet"
            size="small"
            onClick={() => onChange({ ...typed, replaces: null })}
          >
            Ask at the end instead
          </Button>
        </p>
      )}
      <div className="flex flex-col rounded-md border border-control bg-card focus-within:outline-2 focus-within:outline-accent">
        {mayAddPictures && <Pictures typed={typed} onChange={onChange} />}
        <textarea
          ref={field}
          rows={1}
          aria-label="Your message"
          aria-describedby={shownProblem ? 'composer-problem' : undefined}
          className="field-sizing-content max-h-60 min-h-11 w-full resize-none bg-transparent px-3 py-2.5 outline-none"
          value={typed.text}
          placeholder="What is 12% of 250?"
          onPaste={attachments.onPaste}
          onChange={({ target }) => onChange({ ...typed, text: target.value })}
          onKeyDown={(event) => {
            if (!sends(event)) return
            event.preventDefault()
            ask()
          }}
        />
        <div className="flex items-center gap-1 p-1.5">
          {mayAddPictures && (
            <Popover
              side="top"
              title="Add a picture"
              trigger={
                <IconButton label="Add a picture" icon={<ImagePlus size={16} aria-hidden />} />
              }
            >
              <div className="w-72">
                <Suspense>
                  <MediaField
                    label="Picture"
                    kind="image"
                    value={null}
                    onChange={(url) =>
                      url && onChange({ ...typed, images: [...typed.images, url] })
                    }
                  />
                </Suspense>
              </div>
            </Popover>
          )}
          {props.settings}
          <span className="ml-auto" />
          {isAnswering ? (
            <Button size="small" icon={<Square size={14} aria-hidden />} onClick={props.onStop}>
              Stop
            </Button>
          ) : (
            <Button
              type="submit"
              size="small"
              variant="primary"
              disabled={!canAsk}
              busy={attachments.isUploading}
            >
              {props.askLabel}
            </Button>
          )}
        </div>
      </div>
      {shownProblem && <FieldProblem id="composer-problem" text={shownProblem} />}
      <p className="text-soft text-xs">
        <span className="pointer-coarse:hidden">Enter sends, Shift+Enter starts a new line. </span>
        {props.note}
      </p>
    </form>
  )
}

/** Touch keyboards have no handy Shift+Enter, and Enter may confirm a word of an input method. */
const sends = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' &&
  !shiftKey &&
  !nativeEvent.isComposing &&
  !window.matchMedia('(pointer: coarse)').matches

type PicturesProps = { typed: Typed; onChange(typed: Typed): void }

function Pictures({ typed, onChange }: PicturesProps) {
  if (typed.images.length === 0) return null
  return (
    <ul aria-label="Pictures of this question" className="flex flex-wrap gap-2 px-3 pt-3">
      {typed.images.map((url, index) => (
        <li key={url} className="relative">
          <Thumbnail
            size="small"
            src={mediaPath(url)}
            alt={`Added, ${index + 1} of ${typed.images.length}`}
            className="size-16 rounded-sm border border-line object-cover"
          />
          <IconButton
            label={`Remove picture ${index + 1}`}
            icon={<X size={14} aria-hidden />}
            className="-top-2 -right-2 absolute size-6 rounded-full border border-control bg-card"
            onClick={() =>
              onChange({ ...typed, images: typed.images.filter((other) => other !== url) })
            }
          />
        </li>
      ))}
    </ul>
  )
}
