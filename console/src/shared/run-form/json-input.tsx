import { useEffect, useRef } from 'react'
import { openEditor } from '#console/ui/code-editor.ts'

type JsonInputProps = { label: string; text: string; onChange(text: string): void }

/** A JSON editor that marks syntax errors while typing. Loaded when a form needs it. */
export default function JsonInput({ label, text, onChange }: JsonInputProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<ReturnType<typeof openEditor> | null>(null)
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    if (!host.current) return
    const opened = openEditor(host.current, {
      label,
      language: 'json',
      isReadOnly: false,
      text: editor.current?.text() ?? '',
      names: () => [],
      onChange: (next) => latest.current(next),
    })
    editor.current = opened
    return () => opened.close()
  }, [label])
  useEffect(() => editor.current?.show(text), [text])
  return (
    <div
      ref={host}
      className="min-h-20 overflow-hidden rounded-sm border border-control bg-card focus-within:outline-2 focus-within:outline-accent"
    />
  )
}
