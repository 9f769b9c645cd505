import { Check, Copy as CopyIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { announce } from '#console/lib/announce.ts'
import { copyText } from '#console/lib/clipboard.ts'
import { cx } from '#console/lib/cx.ts'
import { buttonClass } from './button-class.ts'

type CopyProps = {
  text: string
  /** What is copied; also the text of the `button` form. */
  label: string
  form?: 'icon' | 'button'
  /** Selects the text instead if the browser forbids the clipboard. */
  select?: () => void
}

export function Copy({ text, label, form = 'icon', select }: CopyProps) {
  const [outcome, setOutcome] = useState<'copied' | 'selected' | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    const done = await copyText(text)
    if (!done) select?.()
    setOutcome(done ? 'copied' : 'selected')
    announce(done ? 'Copied' : 'Selected: copy with your keyboard')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOutcome(null), 2000)
  }
  const Icon = outcome === 'copied' ? Check : CopyIcon
  const word = outcome === 'copied' ? 'Copied' : outcome === 'selected' ? 'Selected' : label
  return (
    <button
      type="button"
      onClick={copy}
      title={form === 'icon' ? word : undefined}
      aria-label={form === 'icon' ? label : undefined}
      className={
        form === 'button'
          ? buttonClass('secondary', 'small')
          : cx(
              'inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-soft transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11',
              outcome === 'copied' && 'text-good',
            )
      }
    >
      <Icon size={14} aria-hidden />
      {form === 'button' && word}
    </button>
  )
}
