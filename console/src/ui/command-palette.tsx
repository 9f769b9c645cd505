import { Dialog as Base } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { keyName } from '#console/lib/platform.ts'
import { type Command, matchCommands } from './match-commands.ts'
import { popupClass } from './popup-class.ts'

type CommandPaletteProps = {
  open: boolean
  onClose(): void
  commands: readonly Command[]
  placeholder: string
  /** More is still being looked up. */
  isSearching?: boolean
  onQuery?(query: string): void
}

/** Finds and runs commands by typing: one text field that controls a list. */
export function CommandPalette(props: CommandPaletteProps) {
  const { open, onClose, commands, placeholder, isSearching, onQuery } = props
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Viewport className="fixed inset-0 z-40 flex items-start justify-center p-3 pt-[10dvh]">
          <Base.Popup
            className={cx(
              popupClass,
              'flex max-h-[70dvh] w-full max-w-read flex-col overflow-hidden',
            )}
          >
            <Base.Title className="sr-only">{placeholder}</Base.Title>
            <PaletteList
              commands={commands}
              placeholder={placeholder}
              onClose={onClose}
              onQuery={onQuery}
              isSearching={isSearching}
            />
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

type ListProps = Omit<CommandPaletteProps, 'open'>

function PaletteList({ commands, placeholder, onClose, onQuery, isSearching }: ListProps) {
  const id = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const found = matchCommands(commands, query)
  const current = Math.min(active, found.length - 1)
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const run = (command: Command | undefined) => {
    if (!command) return
    if (!command.staysOpen) onClose()
    command.run()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setActive((current + step + found.length) % Math.max(1, found.length))
    }
    if (event.key === 'Enter') run(found[current])
  }
  return (
    <>
      <div className="flex items-center gap-3 border-line border-b px-4">
        <Search size={16} className="shrink-0 text-soft" aria-hidden />
        <input
          role="combobox"
          aria-label={placeholder}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
          placeholder={placeholder}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setActive(0)
            onQuery?.(event.target.value)
          }}
          onKeyDown={onKeyDown}
          className="min-h-12 w-full bg-transparent text-lg outline-none"
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
        className="min-h-0 overflow-y-auto p-1"
      >
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the text field
          <div
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => run(command)}
            onPointerMove={() => setActive(index)}
            className="flex min-h-9 items-center gap-3 rounded-sm px-3 aria-selected:bg-sunken pointer-coarse:min-h-11"
          >
            <span className="flex w-4 shrink-0 text-soft">{command.icon}</span>
            <span className="min-w-0 grow truncate">{command.label}</span>
            <span className="shrink-0 text-soft text-xs">{command.group}</span>
            {command.shortcut && (
              <kbd className="shrink-0 text-soft text-xs">{keyName(command.shortcut)}</kbd>
            )}
          </div>
        ))}
      </div>
      {/* Nothing is said to match before the search is over. */}
      <p
        role="status"
        className="border-line px-4 py-2 text-soft text-sm empty:p-0 not-empty:border-t"
      >
        {isSearching ? 'Searching…' : found.length === 0 && 'Nothing matches.'}
      </p>
    </>
  )
}
