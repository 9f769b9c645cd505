import { Upload } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { acceptsType } from './file-types.ts'

type DropZoneProps = {
  label: string
  /** In the format of a file input's `accept`: "image/*", ".json". */
  accept: string
  hint?: ReactNode
  onFiles(files: File[]): void
  /** The names of refused files; the caller says why, next to the field. */
  onRefused?(names: string[]): void
  multiple?: boolean
  disabled?: boolean
}

/** Takes files by choosing, dropping or pasting. */
export function DropZone(props: DropZoneProps) {
  const { label, accept, hint, onFiles, onRefused, multiple = false, disabled = false } = props
  const input = useRef<HTMLInputElement>(null)
  const hintId = useId()
  const [isOver, setOver] = useState(false)
  const take = (given: Iterable<File>) => {
    if (disabled) return
    const all = [...given]
    const fit = all.filter((file) => acceptsType(accept, file))
    const refused = all.filter((file) => !fit.includes(file)).map((file) => file.name)
    if (refused.length > 0) onRefused?.(refused)
    const taken = multiple ? fit : fit.slice(0, 1)
    if (taken.length > 0) onFiles(taken)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping adds to the button, it does not replace it
    <div
      onPaste={(event) => take(event.clipboardData.files)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(!disabled)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files)
      }}
    >
      <button
        type="button"
        disabled={disabled}
        aria-describedby={hint ? hintId : undefined}
        onClick={() => input.current?.click()}
        className={cx(
          'flex w-full flex-col items-center gap-1 rounded-md border border-control border-dashed px-4 py-6 text-center transition-colors hover:not-disabled:bg-sunken disabled:opacity-50',
          isOver && 'border-accent bg-sunken',
        )}
      >
        <Upload size={18} className="text-soft" aria-hidden />
        <span className="font-semibold text-sm">{label}</span>
        <span id={hintId} className="text-soft text-xs">
          {hint ?? 'Choose, drop or paste'}
        </span>
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        aria-label={label}
        onChange={(event) => {
          take(event.currentTarget.files ?? [])
          event.currentTarget.value = ''
        }}
      />
    </div>
  )
}
