import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMedia } from '#console/lib/use-media.ts'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Popover } from '#console/ui/popover.tsx'

type SettingsButtonProps = { label: string; children: ReactNode }

/** Names the model, and opens it with all other settings: a sheet on phones, else a popover. */
export function SettingsButton({ label, children }: SettingsButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const isPhone = useMedia('(max-width: 767px)')
  const button = (
    <Button
      size="small"
      variant="quiet"
      icon={<SlidersHorizontal size={14} aria-hidden />}
      aria-label={`Model and settings: ${label}`}
      className="min-w-0 shrink! px-2"
      {...(isPhone ? { onClick: () => setOpen(true) } : {})}
    >
      <span className="truncate">{label}</span>
    </Button>
  )
  const fields = (
    // A closed combobox keeps Escape for itself, to clear what was typed.
    <div
      className="flex flex-col gap-4"
      onKeyDownCapture={({ key, target }) => {
        const isListOpen = (target as HTMLElement).ariaExpanded === 'true'
        if (key === 'Escape' && !isListOpen) setOpen(false)
      }}
    >
      {children}
    </div>
  )
  if (!isPhone)
    return (
      <Popover trigger={button} side="top" open={isOpen} onOpenChange={setOpen}>
        <div className="max-h-[60dvh] w-80 overflow-y-auto p-1">{fields}</div>
      </Popover>
    )
  return (
    <>
      {button}
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Model and settings">
        {fields}
      </Dialog>
    </>
  )
}
