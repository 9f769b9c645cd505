import { useEffect, useId, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { TextInput } from './text-input.tsx'

type TextFilterProps = {
  label: string
  value: string
  onChange(value: string): void
  className?: string
}

const typingMs = 300

/** Applied when typing pauses. `/` moves the focus here. */
export function TextFilter({ label, value, onChange, className = 'md:w-56' }: TextFilterProps) {
  const id = useId()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), typingMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  useShortcut('/', 'Filter', (event) => {
    event.preventDefault()
    document.getElementById(id)?.focus()
  })
  return (
    <TextInput
      id={id}
      type="search"
      aria-label={label}
      placeholder={label}
      className={cx('col-span-2', className)}
      maxLength={200}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}
