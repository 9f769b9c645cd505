import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { IconButton } from './icon-button.tsx'

type SidePanelProps = {
  title: string
  onClose(): void
  actions?: ReactNode
  children: ReactNode
}

/** Details beside the list in wide windows, over it in narrow ones. The list stays usable. */
export function SidePanel({ title, onClose, actions, children }: SidePanelProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useShortcut('Escape', 'Close the panel', onClose)
  useEffect(() => {
    const before = document.activeElement
    heading.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <aside
      aria-labelledby={id}
      className="fixed inset-0 z-30 flex flex-col border-line bg-card md:inset-y-0 md:right-0 md:left-auto md:w-[min(32rem,50vw)] md:border-l md:shadow-float"
    >
      <header className="flex items-center justify-between gap-2 border-line border-b py-3 pr-3 pl-5">
        <h2
          id={id}
          ref={heading}
          tabIndex={-1}
          className="min-w-0 truncate font-semibold text-lg outline-none"
        >
          {title}
        </h2>
        <div className="flex items-center gap-1">
          {actions}
          <IconButton label="Close" icon={<X size={16} aria-hidden />} onClick={onClose} />
        </div>
      </header>
      <div className="min-h-0 grow overflow-y-auto px-5 py-4">{children}</div>
    </aside>
  )
}
